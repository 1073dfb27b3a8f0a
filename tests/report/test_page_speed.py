"""The page of three models on a million cases is small and follows the hand; benchmarks measure how fast."""

import pytest

MOST_BYTES = 600_000


def test_a_million_cases_fit_in_a_small_file(page_file):
    assert page_file("large").stat().st_size <= MOST_BYTES


def test_every_step_of_a_drag_is_drawn(open_page):
    page = open_page("large")
    before = page.costs
    page.drag((0.9, 0.3), (0.1, 0.05), (0.6, 0.02), (0.3, 0.4), steps=25)
    assert len(page.measures("demur-drag")) >= 50
    assert page.costs != before


def test_the_whole_map_is_recoloured_once_for_each_choice(open_page):
    page = open_page("large")
    before = len(page.measures("demur-map"))
    for _ in range(3):
        for colour in ("abstention", "winner", "difference", "cost"):
            page.choose(f"map-colour-{colour}")
    assert len(page.measures("demur-map")) == before + 12


@pytest.mark.parametrize("control", ["prevalence-slider", "cost-abstain-slider"])
def test_sliders_draw_at_every_step_of_the_hand(open_page, control):
    page = open_page("large")
    before = page.headline
    for value in range(40, 240, 10):
        page.reveal(control).fill(str(value))
        page.settle()
    assert len(page.measures("demur-draw") or page.measures("demur-drag")) >= 20
    assert page.headline != before
