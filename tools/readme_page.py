"""Take the picture of the report page for the README: python tools/readme_page.py (needs Chromium)."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import demur
from demur.datasets.breast_cancer import breast_cancer_scores

FILE = Path(__file__).parents[1] / "docs" / "figures" / "page.png"
# software rendering, so that the page looks the same on every machine
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def main():
    data = breast_cancer_scores()
    costs = demur.CostModel(cost_fn=1000, cost_fp=100, cost_abstain=20)
    source = demur.report.DataSource(name="biopsies.csv", positive="malignant", negative="benign", rows=569)
    report = demur.Report.from_predictions(
        data.diagnosis, data.scores, pos_label="malignant", costs=costs, source=source
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder, "report.html")
        report.to_html(page_file)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme="light")
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-ready=true]")
        page.screenshot(path=FILE)
        browser.close()
    print(f"wrote {FILE.name}")


if __name__ == "__main__":
    main()
