"""The surface with and without WebGL, and the page without a network."""

import numpy as np
import pytest

import page_reports
from browser import colours

NO_WEBGL = """
const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind.startsWith("webgl") ? null : context.call(this, kind, ...rest);
};
"""


def pixels(page):
    """The surface as it stands on the screen."""
    page.settle()
    return colours(page.panel("surface").locator("canvas").screenshot())


def test_webgl_draws_a_surface_that_turns(open_page):
    page = open_page()
    page.open_tab("surface")
    stage = page.role("surface-stage")
    assert stage.get_attribute("data-drawn") == "webgl"
    first = pixels(page)
    found, sizes = np.unique(first, return_counts=True)
    assert len(found) > 500, "a shaded surface, not a blank canvas"
    assert 1 - sizes.max() / sizes.sum() > 0.2, "it fills a good part of the stage"
    stage.focus()
    page.press("Shift+ArrowRight")
    turned = pixels(page)
    assert np.mean(first != turned) > 0.1
    page.role("surface-reset").click()
    stage.focus()
    page.press("ArrowRight")
    page.press("ArrowLeft")
    assert np.mean(first != pixels(page)) < 0.05, "back where it began"
    box = stage.bounding_box()
    page.page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 200, box["y"] + 120, steps=3)
    page.page.mouse.up()
    assert np.mean(first != pixels(page)) > 0.1


def test_a_lost_context_and_a_missing_one_leave_contours(open_page):
    page = open_page()
    page.open_tab("surface")
    page.page.evaluate(
        "document.querySelector('#chart-surface canvas').getContext('webgl2')"
        ".getExtension('WEBGL_lose_context').loseContext()"
    )
    page.page.wait_for_selector('#chart-surface[data-drawn="contours"]')
    # Chromium itself reports the loss
    page.problems[:] = [problem for problem in page.problems if "CONTEXT_LOST" not in problem]
    without = open_page(script=NO_WEBGL)
    without.open_tab("surface")
    assert without.role("surface-stage").get_attribute("data-drawn") == "contours"
    for one in (page, without):
        one.settle()
        fills = one.page.locator("#chart-surface path[fill]").evaluate_all(
            "nodes => nodes.map(node => node.getAttribute('fill'))"
        )
        assert len(set(fills)) >= 8
        assert "for want of WebGL" in one.panel("surface").text_content()
        assert one.role("surface-reset").is_hidden()
    without.fill("cost-fp", 80)
    dot = without.page.locator("#chart-surface circle")
    box = without.page.locator("#chart-surface").bounding_box()
    # contours keep 40 pixels for the axes and 16 for the other side
    place = (float(dot.get_attribute("cx")) - 40) / (box["width"] - 56)
    assert place == pytest.approx(without.costs[1] / 100, abs=0.01)
    text, _ = without.downloaded(without.panel("surface").locator('[data-role="save-svg"]').click)
    assert text.count(b"<path") >= 8


def test_even_a_script_that_tried_could_not_reach_a_network(open_page):
    page = open_page()
    answers = []
    page.page.on("response", lambda response: answers.append(response.url))
    reached = page.page.evaluate("""async () => {
      const image = new Image();
      const loaded = new Promise(done => {
        image.onload = () => done('image');
        image.onerror = () => done(null);
      });
      image.src = 'https://example.invalid/x.png';
      const fetched = await fetch('https://example.invalid/').then(() => 'fetch', () => null);
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
      return [await loaded, fetched, window.injected === true];
    }""")
    assert reached == [None, None, False]
    page.settle()
    violated = {problem.partition("policy violated: ")[2] for problem in page.problems} - {""}
    assert violated == {"img-src", "connect-src", "script-src-elem"}
    assert answers == []
    page.problems.clear()


def test_the_page_works_in_the_frame_of_a_notebook(chromium, tmp_path):
    file = tmp_path / "notebook.html"
    file.write_text(page_reports.named("one_model")._repr_html_())
    page = chromium.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(file.as_uri())
    # frames of a page in the background are not drawn
    page.bring_to_front()
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached")
    frame.locator('[data-role="cost-fp"]').fill("70")
    frame.locator('[data-role="copy-command"]').click()
    frame.locator('[data-role="said"]:not(:empty)').wait_for()
    # the address of a sandboxed frame cannot be written, and nothing breaks
    page.wait_for_timeout(400)
    assert frame.locator('[data-role="decision"]').text_content().startswith("Use forest: call ")
    assert wrong == []
    page.close()
