"""Run the code of docs/gallery.md and keep the figure of every block."""

import re
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def draw_gallery(page: Path, folder: Path) -> None:
    """Run the blocks in order; a block that makes a display leaves the picture NAME_OF_DISPLAY.png."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    import demur.displays

    folder.mkdir(parents=True)
    names: dict[str, object] = {}
    drawn = set()
    for code in BLOCK.findall(page.read_text()):
        names.pop("display", None)
        exec(compile(code, page.name, "exec"), names)
        display = names.get("display")
        if display is not None:
            name = type(display).__name__
            display.figure_.savefig(folder / f"{name}.png", dpi=80, bbox_inches="tight")
            drawn.add(name)
            plt.close("all")
    missing = sorted(set(demur.displays.__all__) - drawn)
    if missing:
        raise SystemExit(f"docs/gallery.md does not draw {', '.join(missing)}.")
