"""The page without a network, and in the frame of a notebook."""

import page_reports


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
    frame.locator('[data-role="menu"]').click()
    frame.locator('[data-role="copy-command"]').click()
    frame.locator('[data-role="said"]:not(:empty)').wait_for()
    # the address of a sandboxed frame cannot be written, and nothing breaks
    page.wait_for_timeout(400)
    assert frame.locator('[data-role="decision"]').text_content().startswith("Likely. Use forest: ")
    assert wrong == []
    page.close()
