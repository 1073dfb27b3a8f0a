"""`demur demo`: four learners on bundled data, compared at named costs, ending in a decision."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from demur.cli.options import Certainty, Classes, Limits, Output, Prices, Source, takes, verb
from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur.cli.verbs.compare import Compared

__all__ = ["command", "draw_figures"]

_COST_FN, _COST_FP, _COST_ABSTAIN = 1000.0, 100.0, 20.0
_STORY = (
    f"Costs, made up for this demo: a missed cancer {_COST_FN:g}, a needless biopsy {_COST_FP:g}, "
    f"a second look by an expert (abstaining) {_COST_ABSTAIN:g}."
)


@verb("demo", example="Example:\n  demur demo -o tour")
@takes(
    Output,
    path={"metavar": "FOLDER", "help": "Folder for the predictions and the figures [default: demur-demo]."},
)
def command(*, output: Output) -> None:
    """Fit four learners, compare them, end in a decision: a tour in ten seconds.

    Out-of-fold scores for the breast-cancer data that scikit-learn ships (569 patients,
    positive = malignant) are written as a CSV file and compared as `demur compare` would;
    figures go to the same folder.
    """
    from importlib.util import find_spec
    from shlex import quote

    from demur._tables.table import wrapped
    from demur.cli.output import answer_text, document, remark, write
    from demur.cli.question import ask
    from demur.cli.verbs.compare import Compared
    from demur.cli.verbs.report import make_report

    name = output.path or "demur-demo"
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"`--output {name}` cannot be made a folder: {error.strerror}.") from None
    remark("Fitting four learners on 569 patients, five folds ...", quiet=output.quiet)
    file = _write_predictions(folder)
    source = Source(file=str(file), label="y_true", positive="malignant")
    prices = Prices(cost_fn=_COST_FN, cost_fp=_COST_FP, cost_abstain=_COST_ABSTAIN)
    asked = ask(source, prices, Limits(), Classes(), Certainty(), output)
    answered = Compared(asked.compare(""), None)
    page = folder / "report.html"
    make_report(asked, "").to_html(page)
    drawn = find_spec("matplotlib") is not None
    figures = draw_figures(answered, folder) if drawn else []
    costs = f"--cost-fn {_COST_FN:g} --cost-fp {_COST_FP:g} --cost-abstain {_COST_ABSTAIN:g}"
    # in the pieces that fit a line
    again = [f"demur compare {quote(str(file))}", f"--positive malignant {costs}"]
    if output.as_json:
        files = {"predictions": str(file), "report": str(page), "figures": [str(one) for one in figures]}
        content = {**asked.cases.answered({"": answered.to_dict()}), "files": files, "next": " ".join(again)}
        write(document("demo", content, version=2), None)
        return
    shown = ", ".join(figure.name for figure in [page, *figures])
    without = "" if drawn else " Figures were left out: they need matplotlib (pip install 'demur[plot]')."
    written = wrapped(f"Written to {folder}: {file.name}, {shown}.{without}")
    closing = "\n".join(
        [
            written,
            "Try your own costs:",
            "  " + " \\\n    ".join(again),
            f"Open {page} in a browser to set the costs by hand.",
        ]
    )
    write("\n\n".join([wrapped(_STORY), answer_text(answered, None), closing]), None)


def _write_predictions(folder: Path) -> Path:
    from demur.cli.output import write_file
    from demur.datasets.breast_cancer import breast_cancer_scores

    data = breast_cancer_scores()
    rows = zip(data.fold, data.diagnosis, *(score.tolist() for score in data.scores.values()), strict=True)
    # every bit of a float is written: the CSV gives the same numbers as the arrays
    lines = [",".join(map(str, [place, *row])) for place, row in enumerate(rows, start=1)]
    file = folder / "predictions.csv"
    write_file(file, "\n".join([",".join(["row", "fold", "y_true", *data.scores]), *lines, ""]))
    return file


def draw_figures(answered: "Compared", folder: Path) -> list[Path]:
    """Draw the models (cheapest first) and the window of the first; return the files written."""
    import matplotlib

    matplotlib.use("Agg")  # files only: never open a window
    import matplotlib.pyplot as plt

    from demur import displays as figures
    from demur.roc import roc_curve

    comparison = answered.comparison
    names = sorted(comparison.models, key=lambda name: comparison.models[name].cost or 0.0)
    best, second = (comparison.models[name].surface.surface for name in names[:2])
    window = comparison.models[names[0]].window
    roc = {name: roc_curve(comparison.judged[name].counts) for name in names}
    gap = best.minus(second, nu=(0.0, 0.5))
    displays: dict[str, Any] = {
        "roc": figures.RocCurveDisplay.from_result(roc).plot(hull=False),
        "cost_curves": figures.CostCurveDisplay.from_result(
            {name: one["cost"] for name, one in comparison.curves().items()}
        ).plot(),
        "surface": figures.AbstentionSurfaceDisplay.from_result(best).plot(window=window),
        "window": figures.WindowDisplay.from_result(best, window=window).plot(),
        "_minus_".join(names[:2]): figures.SurfaceDifferenceDisplay.from_result(gap).plot(
            names=(names[0], names[1])
        ),
    }
    files = []
    for name, display in displays.items():
        file = folder / f"{name}.png"
        display.figure_.savefig(file, dpi=150)
        plt.close(display.figure_)
        files.append(file)
    return files
