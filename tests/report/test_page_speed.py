"""How fast and how large the page of three models on a million cases is."""

import statistics

import pytest

MOST_BYTES = 600_000
PAINT, DRAG, MAP = 1000, 8, 30  # milliseconds
TRIES = 8  # other work on the machine delays a page; the best try tells what the page itself takes


def test_a_million_cases_fit_in_a_small_file(page_file):
    assert page_file("large").stat().st_size <= MOST_BYTES


def test_the_answer_is_painted_within_a_second(open_page):
    times = []
    for _ in range(TRIES):
        page = open_page("large")
        times.append(
            page.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        )
        page.page.close()
        if len(times) >= 3 and min(times) < PAINT:
            break
    assert min(times) < PAINT, times


def test_a_step_of_a_drag_takes_few_milliseconds(open_page):
    page = open_page("large")
    page.drag((0.9, 0.3), (0.1, 0.05), (0.6, 0.02), (0.3, 0.4), steps=25)
    steps = page.measures("demur-drag")
    assert len(steps) >= 50
    assert statistics.median(steps) <= DRAG, sorted(steps)


def test_the_whole_map_is_recoloured_within_two_frames(open_page):
    page = open_page("large")
    for _ in range(3):
        for colour in ("abstention", "lower", "upper", "winner", "difference", "cost"):
            page.choose(f"map-colour-{colour}")
    times = page.measures("demur-map")[1:]
    assert len(times) == 18
    assert statistics.median(times) <= MAP, sorted(times)


@pytest.mark.parametrize("control", ["prevalence-slider", "cost-abstain-slider"])
def test_sliders_keep_up_with_the_hand(open_page, control):
    page = open_page("large")
    for value in range(40, 240, 10):
        page.role(control).fill(str(value))
        page.settle()
    # a new prevalence changes every surface and every map: five frames are allowed
    drawn = page.measures("demur-draw") or page.measures("demur-drag")
    assert statistics.median(drawn) <= 80, sorted(drawn)
