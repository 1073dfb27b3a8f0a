"""A policy needs NumPy alone, beside demur and its loader of names: it loads, decides and derives windows."""

import json
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from export_cases import policy

# the packages are there and cannot be imported: as if nothing but NumPy had been installed
_ALONE = """
import json, sys

class NumpyAlone:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ("numpy", "lazy_loader", "demur") or top in sys.stdlib_module_names:
            return None
        # as where it is not installed; NumPy itself looks for packages it can do without
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.path[:0] = json.loads(sys.argv[1])
sys.meta_path.insert(0, NumpyAlone())
import numpy as np
from demur.policy.policy import Policy
from demur.costs.model import CostModel

loaded = Policy.load(sys.argv[2])
scores = np.load(sys.argv[3])
costs = CostModel(cost_fn=10, cost_fp=40, cost_abstain=1)
other = loaded.at(prevalence=0.2, costs=costs)
other.save(sys.argv[2] + ".other")
told = {
    "labels": loaded.apply(scores).tolist(),
    "codes": loaded.decide(scores).tolist(),
    "sql": loaded.to_sql("postgres"),
    "python": loaded.to_python(),
    "window": [other.lower, other.upper],
}
try:
    import scipy
except ModuleNotFoundError:
    print(json.dumps(told))
"""


def test_numpy_alone_is_enough(tmp_path):
    from demur import CostModel, Policy

    made = policy(pos_label="ill", neg_label="well", abstain_label="ask")
    made.save(tmp_path / "policy.json")
    scores = np.random.default_rng(0).random(200_000)
    np.save(tmp_path / "scores.npy", scores)
    here = Path(find_spec("demur").origin).parents[1]
    places = json.dumps([str(here), sysconfig.get_paths()["purelib"], str(Path(np.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _ALONE, places, tmp_path / "policy.json", tmp_path / "scores.npy"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told["labels"] == made.apply(scores).tolist()
    assert told["codes"] == made.decide(scores).tolist()
    assert (told["sql"], told["python"]) == (made.to_sql("postgres"), made.to_python())
    other = made.at(prevalence=0.2, costs=CostModel(cost_fn=10, cost_fp=40, cost_abstain=1))
    assert told["window"] == [other.lower, other.upper]
    assert Policy.load(tmp_path / "policy.json.other").to_dict() == other.to_dict()
