"""Print benchmarks as ratios measured in the same run.

python benchmarks/run.py [NAME ...] [--output PAGE.md]: with --output the tables become a page of the
documentation as well.
"""

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

HEADER = ("what", "size", "demur", "peer", "ratio", "asked")
INTRODUCTION = """# Performance

Made by `make bench` ({machine}). Every row is a ratio of two times of the same run, our own and
that of a named peer doing the same work, measured in turns; "asked" is what we want to reach, and a row
that does not reach it stays here. Absolute times are those of the machine it ran on.
"""


def machine():
    """Say what ran: processor kind, cores and Python, no names of hosts or folders."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def plain_table(rows):
    widths = [max(len(str(row[k])) for row in rows) for k in range(len(HEADER))]
    lines = [
        "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown_table(rows):
    lines = [f"| {' | '.join(str(cell).replace('|', '/') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(HEADER) + "|", *lines[1:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="files without .py; all of them by default")
    parser.add_argument("--output", type=Path, help="Markdown page to write")
    given = parser.parse_args()
    page = [INTRODUCTION.format(machine=machine())]
    for name in given.names or sorted(p.stem for p in Path(__file__).parent.glob("bench_*.py")):
        module = importlib.import_module(name)
        title = module.__doc__.splitlines()[0]
        print(f"\n{title}\n")
        rows = [HEADER, *module.rows()]
        print(plain_table(rows), flush=True)
        page.append(f"## {title.rstrip('.')}\n\n{markdown_table(rows)}\n")
    if given.output:
        given.output.write_text("\n".join(page))


if __name__ == "__main__":
    main()
