"""Run the studies of the source papers again and compare with their printed values.

How to add a study
------------------
1. Write a module of this package named after the paper with four public names (the protocol
   `Study` in `_study.py`)::

       TITLE = "Cost curves for abstaining classifiers"
       REFERENCE = "Friedel, Rueckert, Kramer (2006), ROCML, pp. 33-40"
       PUBLISHED = {"Table 1, VACC": {("vote", "J48"): 0.021, ...}, "Figure 3": "abstains on ..."}

       def run(*, quick: bool, data: PaperData, rng: np.random.Generator) -> Reproduction: ...

   `PUBLISHED` holds what is printed, keyed by table or figure number. `run` returns one `Cell`
   per printed number (`Cell.number`), formula (`Cell.formula`) or statement (`Cell.claim`), and
   the figures, each a `Figure` with a function that draws it when (and only when) it is saved.
   What compares demur with itself or with theory, returns an input or recounts the print is a
   `Cell.check`. A value that is known not to come out gets its reason in `known`; a difference
   without one is a fault, and the command ends with exit code 1.
   A tolerance is derived before anything is compared: `Tolerance.printed` for rounding,
   `Spread.tolerance` (`_spread.py`) for rounding and chance. Cells of a table have a `place`
   (table, row, column): the placebo and the paired statistics follow from it (`_placebo.py`).
2. Take data from `data` (a `PaperData`) only. What is not there raises `MissingDataError`: turn
   it into `Cell.not_run(..., needs=error.needs)`, never into a guess. What takes seconds goes
   through `data.finished.part`, with random numbers of its own, so that a full run that was
   stopped goes on where it was.
3. With `quick`, stay below thirty seconds: fewer seeds, smaller data, the same cells. In full,
   stay below half an hour on two cores. Heavy imports go inside functions; randomness comes from
   `rng`; long loops use `demur._progress`.
4. Add the name, the module and the one-line title to `STUDIES`, and keep the results of a full run
   for the documentation (``tools/keep_results.py``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur_studies._study import Study

__all__ = ["STUDIES", "load_study"]

# name on the command line -> module of this package, what it is about (so that a list loads none of them)
STUDIES = {
    "friedel2006": ("friedel2006", "Cost curves for abstaining classifiers"),
    "drummond-holte": ("drummond_holte", "Cost-sensitive classifier evaluation using cost curves"),
    "ferri2004": ("ferri2004", "Cautious classifiers"),
    "vanderlooy2006": ("vanderlooy2006", "Reliable classifiers through ROC isometrics"),
    "bandos2006": ("bandos2006", "Exact resampling inference for areas under ROC curves"),
    "elazmeh2006": ("elazmeh2006", "ROC curves with confidence: a confident segment"),
    "mueller-zhang2006": ("mueller_zhang2006", "Bounds of the area from one point of the curve"),
    "waegeman2006": ("waegeman2006", "ROC analysis for ordinal regression"),
    "blanco2006": ("blanco2006", "Thresholds and mimetic models without data"),
    "deng2006": ("deng2006", "Class weights for more than two classes"),
    "rec2006": ("rec2006", "REC curves, filters and forecasts"),
}


def load_study(name: str) -> "Study":
    """Return the study of that name; `InputError` with the known names for any other."""
    if name not in STUDIES:
        raise InputError(f"There is no study {name!r}. Hint: the studies are {', '.join(STUDIES)}; or all.")
    return cast("Study", import_module(f"demur_studies.{STUDIES[name][0]}"))
