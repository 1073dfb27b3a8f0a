"""`demur demo`: four learners on bundled data, compared at named costs, ending in a decision."""

from pathlib import Path
from typing import TYPE_CHECKING

from demur.cli.options import Output, Source, takes, verb
from demur.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demur.cli.answers.comparison import ModelResult
    from demur.surface.window import AbstentionWindow

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
    from demur.cli.answers.certainty import certainty_sections, how_sure
    from demur.cli.answers.comparison import compare_models
    from demur.cli.answers.wording import comparison_text, decision
    from demur.cli.output import document, remark, wrapped, write
    from demur.cli.reading.predictions import read_predictions
    from demur.costs.model import CostModel

    folder = _folder(output.path or "demur-demo")
    remark("Fitting four learners on 569 patients, five folds ...", quiet=output.quiet)
    file = _write_predictions(folder)
    read = read_predictions(Source(file=str(file), label="y_true", positive="malignant"))
    remark(read.sentence(), quiet=output.quiet)
    costs = CostModel(cost_fn=_COST_FN, cost_fp=_COST_FP, cost_abstain=_COST_ABSTAIN)
    comparison = compare_models(read.counts(), costs=costs, prevalence=None)
    sure = how_sure(read, comparison, confidence_level=0.95, seed=0)
    figures, without = _figures(comparison.models, folder)
    again = _next_command(file)
    if output.as_json:
        files = {"predictions": str(file), "figures": [str(figure) for figure in figures]}
        content = {"data": read.to_dict(), "files": files, "next": " ".join(again)}
        content |= {"decision": decision(comparison), **comparison.to_dict(), "how_sure": sure.to_dict()}
        write(document("demo", content), None)
        return
    shown = ", ".join(figure.name for figure in figures)
    written = wrapped(f"Written to {folder}: {file.name}" + (f", {shown}." if figures else f". {without}"))
    closing = "\n".join([written, "Try your own costs:", "  " + " \\\n    ".join(again)])
    text = comparison_text(comparison, more=certainty_sections(sure))
    write("\n\n".join([wrapped(_STORY), text, closing]), None)


def _folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"`--output {name}` cannot be made a folder: {error.strerror}.") from None
    return folder


def _write_predictions(folder: Path) -> Path:
    from demur.cli.output import write_file
    from demur.datasets.breast_cancer import breast_cancer_scores

    data = breast_cancer_scores()
    lines = [",".join(["row", "fold", "y_true", *data.scores])]
    columns = zip(*data.scores.values(), strict=True)
    for row, (fold, label, scores) in enumerate(
        zip(data.fold, data.diagnosis, columns, strict=True), start=1
    ):
        # repr keeps every bit: the CSV gives the same numbers as the arrays
        lines.append(",".join([str(row), str(fold), str(label), *(repr(float(score)) for score in scores)]))
    file = folder / "predictions.csv"
    write_file(file, "\n".join(lines) + "\n")
    return file


def _next_command(file: Path) -> list[str]:
    """Return the command to run next, in the pieces that fit a line."""
    from shlex import quote

    costs = f"--cost-fn {_COST_FN:g} --cost-fp {_COST_FP:g} --cost-abstain {_COST_ABSTAIN:g}"
    return [f"demur compare {quote(str(file))}", f"--positive malignant {costs}"]


def _figures(models: "Sequence[ModelResult]", folder: Path) -> tuple[list[Path], str]:
    """Draw if matplotlib is there; otherwise say how to get it."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        return [], "Figures were left out: they need matplotlib (pip install 'demur[plot]')."
    return draw_figures(models, models[0].priced().window, folder), ""


def draw_figures(models: "Sequence[ModelResult]", window: "AbstentionWindow", folder: Path) -> list[Path]:
    """Draw the models (cheapest first) and the window of the first; return the files written."""
    import matplotlib

    matplotlib.use("Agg")  # files only: never open a window
    import matplotlib.pyplot as plt

    from demur import displays as figures
    from demur.roc import roc_curve

    best, second = models[:2]
    roc = {model.name: roc_curve(model.counts) for model in models}
    curves = {model.name: model.cost_curve for model in models}
    gap = best.surface.minus(second.surface, nu=(0.0, 0.5))
    names = best.name, second.name
    displays = {
        "roc": figures.RocCurveDisplay.from_result(roc).plot(hull=False),
        "cost_curves": figures.CostCurveDisplay.from_result(curves).plot(),
        "surface": figures.AbstentionSurfaceDisplay.from_result(best.surface).plot(window=window),
        "window": figures.WindowDisplay.from_result(best.surface, window=window).plot(),
        "_minus_".join(names): figures.SurfaceDifferenceDisplay.from_result(gap).plot(names=names),
    }
    files = []
    for name, display in displays.items():
        file = folder / f"{name}.png"
        display.figure_.savefig(file, dpi=150)
        plt.close(display.figure_)
        files.append(file)
    return files
