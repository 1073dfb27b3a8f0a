"""Print benchmarks as ratios measured in the same run: python benchmarks/run.py [NAME ...]."""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

HEADER = ("what", "size", "demur", "peer", "ratio", "asked")


def main(names):
    names = names or sorted(p.stem for p in Path(__file__).parent.glob("bench_*.py"))
    for name in names:
        module = importlib.import_module(name)
        print(f"\n{module.__doc__.splitlines()[0]}\n")
        rows = [HEADER, *module.rows()]
        widths = [max(len(str(row[k])) for row in rows) for k in range(len(HEADER))]
        for row in rows:
            print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
            if row is HEADER:
                print("  ".join("-" * width for width in widths))


if __name__ == "__main__":
    main(sys.argv[1:])
