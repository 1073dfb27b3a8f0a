"""Run the studies of the source papers again and compare with their printed values.

How to add a study
------------------
1. Write a module of this package named after the paper with four public names (the protocol
   `Study` in `_study.py`)::

       TITLE = "Cost Curves for Abstaining Classifiers"
       REFERENCE = "Caroline C. Friedel, ...: Cost Curves for Abstaining Classifiers, ROCML 2006, pp. 33-40"
       PUBLISHED = {"Table 1, VACC": {("vote", "J48"): 0.021, ...}, "Figure 3": "abstains on ..."}

       def run(*, quick: bool, data: PaperData, rng: np.random.Generator) -> Reproduction: ...

   `PUBLISHED` holds what is printed, keyed by table or figure number. `run` returns one `Cell`
   per printed number (`Cell.number`), formula (`Cell.formula`) or statement (`Cell.claim`), and
   the figures, each a `Figure` with a function that draws it when (and only when) it is saved.
   What compares demur with itself or with theory, returns an input or recounts the print is a
   `Cell.check`. A variant of what the paper says that gives the printed value is a
   `Cell.variant`, "explained by", run for a whole column. A value that is known not to come out
   gets its reason in `known`; a difference without one is a fault, and the command ends with
   exit code 1.
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
4. Add the name, the module, the title and the authors to `STUDIES`, and keep the results of a full run
   for the documentation (``tools/keep_results.py``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from demur.exceptions import InputError

if TYPE_CHECKING:
    from demur_studies._study import Study

__all__ = ["STUDIES", "load_study"]

# name on the command line -> module of this package, title and authors (so that a list loads none of them);
# no authors where the text at hand prints none
STUDIES = {
    "friedel2006": (
        "friedel2006",
        "Cost Curves for Abstaining Classifiers",
        "Caroline C. Friedel, Ulrich Rückert, Stefan Kramer",
    ),
    "drummond-holte": (
        "drummond_holte",
        "Cost-sensitive Classifier Evaluation using Cost Curves",
        "Robert C. Holte, Chris Drummond",
    ),
    "ferri2004": ("ferri2004", "Cautious Classifiers", "Cèsar Ferri, José Hernández-Orallo"),
    "vanderlooy2006": (
        "vanderlooy2006",
        "An Analysis of Reliable Classifiers through ROC Isometrics",
        "Vanderlooy, Sprinkhuizen-Kuyper, Smirnov",
    ),
    "bandos2006": (
        "bandos2006",
        "Resampling Methods for the Area Under the ROC Curve",
        "Bandos, Rockette, Gur",
    ),
    "elazmeh2006": (
        "elazmeh2006",
        "A Framework for Comparative Evaluation of Classifiers in the Presence of Class Imbalance",
        "Elazmeh, Japkowicz, Matwin",
    ),
    "mueller-zhang2006": (
        "mueller_zhang2006",
        "Upper and Lower Bounds of Area Under ROC Curves and Index of Discriminability of Classifier "
        "Performance",
        "Mueller, Zhang",
    ),
    "waegeman2006": (
        "waegeman2006",
        "A Comparison of Different ROC Measures for Ordinal Regression",
        "Waegeman, De Baets, Boullart",
    ),
    "blanco2006": (
        "blanco2006",
        "Estimating the Class Probability Threshold without Training Data",
        "Ricardo Blanco-Vega, César Ferri-Ramírez, José Hernández-Orallo, María José Ramírez-Quintana",
    ),
    "deng2006": ("deng2006", "New Algorithms for Optimizing Multi-Class Classifiers via ROC Surfaces", ""),
    "rec2006": ("rec2006", "Applying REC Analysis to Ensembles of Sigma-Point Kalman Filters", ""),
}


def load_study(name: str) -> "Study":
    """Return the study of that name; `InputError` with the known names for any other."""
    if name not in STUDIES:
        raise InputError(f"There is no study {name!r}. Hint: the studies are {', '.join(STUDIES)}; or all.")
    return cast("Study", import_module(f"demur_studies.{STUDIES[name][0]}"))
