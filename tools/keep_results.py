"""Keep the results of full runs for the documentation, so that it is built without data.

demur reproduce NAME --full --data-dir DIR --json > FILE
python tools/keep_results.py FILE [FILE ...]

Writes docs/papers/results/NAME.json for every study in the files: small (six digits), one cell per line.
"""

import json
import sys
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "docs" / "papers" / "results"


def rounded(value: Any) -> Any:
    """Return the value with six significant digits in all numbers."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def text_of(head: dict[str, Any], study: dict[str, Any]) -> str:
    """Return one document as JSON; cells stand on lines of their own, without what is empty."""
    cells = [
        {key: value for key, value in cell.items() if value != "" or key in ("reason", "tolerance_reason")}
        for cell in study["cells"]
    ]
    lines = ",\n".join(json.dumps(rounded(cell), ensure_ascii=False) for cell in cells)
    rest = rounded({key: value for key, value in study.items() if key != "cells"})
    whole = json.dumps({**head, "studies": [{**rest, "cells": []}]}, indent=1, ensure_ascii=False)
    before, _, after = whole.rpartition('"cells": []')
    return f'{before}"cells": [\n{lines}\n]{after}\n'


def main() -> None:
    """Read the documents of `demur reproduce --json` and write one small file per study."""
    RESULTS.mkdir(exist_ok=True)
    for name in sys.argv[1:]:
        document = json.loads(Path(name).read_text(encoding="utf-8"))
        if document["quick"]:
            raise SystemExit(f"{name} is a quick run; the documentation shows full ones.")
        head = {
            key: document[key] for key in ("schema", "version", "software", "made", "quick", "documented")
        }
        for study in document["studies"]:
            file = RESULTS / f"{study['name']}.json"
            file.write_text(text_of(head, study), encoding="utf-8")
            print(f"wrote {file.name}: {study['summary']}")


if __name__ == "__main__":
    main()
