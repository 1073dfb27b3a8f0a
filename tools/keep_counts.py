"""Keep the counts of WEKA's held-out scores for those who have neither WEKA nor the data.

python tools/keep_counts.py --data-dir DIR [--cache-dir FOLDER]

Runs WEKA on the six data sets of Friedel et al. (2006) and writes, per learner and fold seed, how
many cases of each class have each distinct score: studies/src/demur_studies/_shipped_counts.json.xz.
"""

import argparse
import json
import lzma
from collections.abc import Iterator
from pathlib import Path

from demur_studies._data import PaperData
from demur_studies._finished import FinishedParts, default_folder
from demur_studies._friedel2006_scores import LEARNERS, NOMINAL, PARAMETERS, POSITIVE, SEEDS
from demur_studies._shipped_counts import FILE, packed
from demur_studies._weka import finished_weka_scores

KEPT = Path(__file__).parents[1] / "studies" / "src" / "demur_studies" / FILE


def runs() -> Iterator[tuple[str, str, int]]:
    """Every data set with every learner and fold seed; learners with other parameters with the first seed."""
    others = {learner for settings in PARAMETERS.values() for learner in settings.values()}
    for name in POSITIVE:
        for learner in LEARNERS.values():
            yield from ((name, learner, seed) for seed in SEEDS)
        yield from ((name, learner, SEEDS[0]) for learner in sorted(others - set(LEARNERS.values())))


def main() -> None:
    """Run WEKA and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", required=True, help="folder with uci/NAME.csv")
    parser.add_argument("--cache-dir", default=default_folder(), help="finished runs, to go on with")
    given = parser.parse_args()
    data = PaperData(given.data_dir, finished=FinishedParts(given.cache_dir))
    found = {}
    for name, learner, seed in runs():
        run = finished_weka_scores(
            data.finished,
            data.table(name),
            learner,
            positive=POSITIVE[name],
            seed=seed,
            nominal=NOMINAL.get(name, ()),
        )
        found[f"{name} {learner} {seed}"] = packed(run)
    text = json.dumps(found, separators=(",", ":"), sort_keys=True)
    KEPT.write_bytes(lzma.compress(text.encode(), preset=9))
    print(f"wrote {KEPT.name}: {len(found)} runs, {KEPT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
