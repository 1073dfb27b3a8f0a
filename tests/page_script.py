"""The page's TypeScript in a Node process: questions as JSON in, answers as JSON out."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

WEB = Path(__file__).parents[1] / "web"
NODE = shutil.which("node")
INF = math.inf

needs_node = pytest.mark.skipif(
    NODE is None or not (WEB / "node_modules" / "esbuild").is_dir(),
    reason="needs node and the packages of web/ (make web)",
)


def plain(value):
    """Turn arrays into lists and infinities into words, as the page's data have them."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(part) for part in value]
    if isinstance(value, (float, np.floating)):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return float(value)
    return value.item() if isinstance(value, np.generic) else value


def numbers(value):
    """Turn words back into infinities."""
    if isinstance(value, dict):
        return {name: numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [numbers(part) for part in value]
    return {"inf": INF, "-inf": -INF}.get(value, value) if isinstance(value, str) else value


def ask(questions):
    """Return the answer to every question; one process answers all (web/tests/answers.ts)."""
    done = subprocess.run(
        [NODE, "run.mjs", "tests/answers.ts"],
        input=json.dumps(plain(questions)),
        capture_output=True,
        cwd=WEB,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return numbers(json.loads(done.stdout))


def page_costs(costs):
    """Return a `CostModel` as the state of the page has it."""
    abstain = INF if costs.cost_abstain is None else costs.cost_abstain
    page = {"fn": costs.cost_fn, "fp": costs.cost_fp, "abstain": abstain}
    page |= {"tp": costs.cost_tp, "tn": costs.cost_tn}
    if costs.hired is not None:
        return page | {
            "abstain": costs.hired.fee,
            "rates": [costs.hired.sensitivity, costs.hired.specificity],
        }
    if costs.cost_abstain_positive is not None:
        return page | {"byClass": [costs.cost_abstain_positive, costs.cost_abstain_negative]}
    return page
