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

import numpy as np
from timing import alternate

# the benchmarks import each other by name from wherever they are started
sys.path.insert(0, str(Path(__file__).parent))

VECTORISED = 2.5
HEADER = ("what", "size", "demur", "peer", "ratio", "target")
INTRODUCTION = """# Performance

Made by `make bench` on {machine}.

Every row is a ratio of two times of the same run, our own and that of a named peer doing the same work,
measured in turns. A row that misses its target stays here. Absolute times are those of the machine it ran on.
Small inputs run interpreted whether the compiler is loaded or not, so that a number never depends on what
ran before.
"""


def machine():
    """Say what ran: processor, cores, how NumPy sorts, versions; no names of hosts or folders."""
    return (
        f"{processor()}, {os.cpu_count()} cores, {sorting()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}"
    )


def processor():
    """Name the processor as it names itself; its kind where it does not."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} ({platform.machine()})" if names else platform.machine()


def sorting():
    """Say whether `np.sort` of float64 is vectorised here, measured: NumPy does not tell.

    A stable sort of floats never is, and takes about as long as a default sort without vectors.
    """
    values = np.random.default_rng(0).random(10**6)
    default, stable = alternate(lambda: np.sort(values), lambda: np.sort(values, kind="stable"))
    word = "vectorised" if stable > VECTORISED * default else "not vectorised"
    return f"np.sort {word} ({stable / default:.1f} x as fast as a stable sort)"


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
    where = machine()
    print(where)
    page = [INTRODUCTION.format(machine=where)]
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
