"""Write src/demur/__init__.pyi from the table of public names: python tools/write_stub.py."""

from pathlib import Path

import demur

STUB = Path(demur.__file__).with_suffix(".pyi")


def stub_text() -> str:
    """Re-exports for type checkers, which cannot follow the lazy module."""
    lines = ["# Made by tools/write_stub.py from the table in __init__.py.", ""]
    for module, names in sorted(demur._HOMES.items()):
        lines += [f"from demur.{module} import {name} as {name}" for name in sorted(names)]
    return "\n".join([*lines, "", "__version__: str", ""])


if __name__ == "__main__":
    STUB.write_text(stub_text())
    print(f"wrote {STUB.name}: {len(demur.__all__)} names")
