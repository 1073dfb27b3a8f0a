"""Friedel, Rueckert, Kramer (2006): Table 1, figures 1 to 4.

The paper leaves open which class is positive, the fold seed and the domain of the volume; the
printed numbers fit the positive classes chosen here and the unit square. The paper shows one fold
seed, which is one draw: the tolerance is what the fold seeds here spread.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from demur.surface.volume import vacc_score
from demur_studies._data import MissingDataError, PaperData
from demur_studies._friedel2006_figures import figures
from demur_studies._friedel2006_scores import LEARNERS, MEASURES, PARAMETERS, Scored, all_scores, score_of
from demur_studies._friedel2006_statements import statement_cells, volumes_of
from demur_studies._friedel2006_table import fold_spread, table_cells
from demur_studies._study import Cell, Reproduction

__all__ = ["PUBLISHED", "REFERENCE", "TITLE", "run"]

TITLE = "Cost Curves for Abstaining Classifiers"
REFERENCE = (
    "Caroline C. Friedel, Ulrich Rückert, Stefan Kramer: Cost Curves for Abstaining Classifiers, "
    "ROCML workshop at ICML 2006, pp. 33-40."
)

# rows of Table 1: one value per learner in the order of LEARNERS
PUBLISHED: Mapping[str, Any] = {
    "Table 1, accuracy": {
        "breast-w": (0.95, 0.96, 0.95, 0.95, 0.97),
        "bupa": (0.65, 0.55, 0.62, 0.67, 0.64),
        "credit-a": (0.87, 0.78, 0.85, 0.85, 0.85),
        "diabetes": (0.73, 0.76, 0.74, 0.75, 0.76),
        "haberman": (0.69, 0.75, 0.71, 0.68, 0.74),
        "vote": (0.97, 0.90, 0.97, 0.96, 0.96),
    },
    "Table 1, AUC": {
        "breast-w": (0.96, 0.98, 0.97, 0.99, 0.99),
        "bupa": (0.67, 0.64, 0.67, 0.74, 0.70),
        "credit-a": (0.89, 0.90, 0.89, 0.91, 0.86),
        "diabetes": (0.75, 0.82, 0.79, 0.78, 0.83),
        "haberman": (0.61, 0.65, 0.59, 0.65, 0.70),
        "vote": (0.97, 0.97, 0.95, 0.98, 0.99),
    },
    "Table 1, VACC": {
        "breast-w": (0.032, 0.018, 0.030, 0.016, 0.014),
        "bupa": (0.16, 0.18, 0.17, 0.15, 0.17),
        "credit-a": (0.082, 0.093, 0.089, 0.088, 0.081),
        "diabetes": (0.15, 0.14, 0.14, 0.15, 0.13),
        "haberman": (0.12, 0.11, 0.11, 0.12, 0.11),
        "vote": (0.021, 0.046, 0.022, 0.021, 0.022),
    },
    "Table 1, normalised accuracy": {
        "breast-w": (0.98, 0.99, 0.98, 0.98, 1.00),
        "bupa": (0.97, 0.82, 0.93, 1.00, 0.95),
        "credit-a": (1.00, 0.90, 0.98, 0.99, 0.98),
        "diabetes": (0.96, 0.99, 0.96, 0.98, 1.00),
        "haberman": (0.93, 1.00, 0.96, 0.91, 1.00),
        "vote": (1.00, 0.93, 1.00, 1.00, 0.99),
    },
    "Table 1, normalised AUC": {
        "breast-w": (0.96, 0.99, 0.98, 0.99, 1.00),
        "bupa": (0.90, 0.87, 0.91, 1.00, 0.95),
        "credit-a": (0.97, 0.98, 0.98, 1.00, 0.95),
        "diabetes": (0.90, 0.98, 0.95, 0.94, 1.00),
        "haberman": (0.87, 0.93, 0.84, 0.93, 1.00),
        "vote": (0.98, 0.98, 0.96, 0.99, 1.00),
    },
    "Table 1, normalised VACC": {
        "breast-w": (1.00, 0.58, 0.95, 0.50, 0.44),
        "bupa": (0.93, 1.00, 0.97, 0.84, 0.96),
        "credit-a": (0.88, 1.00, 0.95, 0.94, 0.87),
        "diabetes": (1.00, 0.92, 0.94, 0.98, 0.87),
        "haberman": (1.00, 0.95, 0.95, 1.00, 0.96),
        "vote": (0.44, 1.00, 0.48, 0.44, 0.47),
    },
    "Section 4, breast-w": "by VACC SVM is best, followed by RF and NB; PART and J48 lag behind",
    "Section 4, bupa": "NB is worst and RF is best by all measures",
    "Section 4, credit-a": "J48 and NB differ markedly in accuracy and VACC, not in AUC",
    "Section 4, credit-a, PART and SVM": "comparable in accuracy and AUC, a considerable gap in VACC",
    "Section 4, diabetes": "RF and SVM differ distinctly in AUC and VACC, not in accuracy",
    "Footnote 3": "classes of 50:50 changed the absolute VACC numbers, but not their ordering",
    "Section 4, pruning": "J48's confidence of pruning shifts VACC little and gradually, nowhere abruptly",
    "Section 4, penalty": "the SVM's parameter C shifts VACC little and gradually, nowhere abruptly",
    "Section 4, vote": "NB is dramatically worse than all others, most visibly by VACC",
    "Figure 2": "for the same mu the window of a larger nu is contained in that of a smaller one",
    "Figure 3": "on breast-w PART should abstain on 10 % to 15 % at abstention costs of about 0.1",
    "Figure 3, nu = 0.5": "above nu = 0.5 the window is degenerate, l = u",
    "Figure 4 (d)": "NB and PART on haberman: close in VACC, yet each is preferred in some region",
    "Figure 4 (e)": "near two corners the trivial classifier performs better than the SVM on bupa",
    "Figure 4 (f), (g)": "upper left: everything is called positive; lower right: no prediction is made",
}


def run(*, quick: bool, data: PaperData, rng: np.random.Generator) -> Reproduction:
    """Cross-validate five learners on six data sets and compare with Table 1 and the text."""
    datasets = all_scores(data, quick=quick)
    cells = [
        *table_cells(datasets, PUBLISHED),
        *_saved_cells(datasets, data),
        *statement_cells(datasets, PUBLISHED),
        _footnote_cell(datasets),
        *_parameter_cells(datasets, data, quick=quick),
    ]
    return Reproduction(
        cells=tuple(cells), figures=tuple(figures(datasets)), remarks=tuple(_remarks(datasets))
    )


def _remarks(datasets: Mapping[str, Scored]) -> Iterator[str]:
    runs = [one for scored in datasets.values() for runs in scored.scores.values() for one in runs]
    how = {"saved": "saved scores", "weka": "run here", "shipped": "counts shipped with the studies"}
    sources = {one.source for one in runs}
    words = " and ".join(text for source, text in how.items() if source in sources)
    yield "Ten-fold cross-validation, pooled scores, observed class distribution, mean over fold seeds."
    yield (
        f"Learners of WEKA 3.6 ({words}): J48, NaiveBayes, PART, RandomForest -I 10, SMO -M. "
        "The paper names no version; its WEKA must be older."
    )


# ---------------------------------------------------------------- our own checks


def _saved_cells(datasets: Mapping[str, Scored], data: PaperData) -> Iterator[Cell]:
    """Saved scores must give the saved results to the last digits."""
    try:
        reference = data.weka_reference()
    except MissingDataError:
        return
    columns = {"accuracy": "accuracy_argmax", "AUC": "auc", "VACC": "vacc"}
    for name in datasets:
        gaps = []
        for learner, weka_name in LEARNERS.items():
            for seed in (1, 2, 3):
                if (name, weka_name, seed) not in reference:
                    continue
                one = score_of(data, name, learner, seed, again=False)
                saved = reference[name, weka_name, seed]
                gaps += [abs(MEASURES[m](one) - saved[column]) for m, column in columns.items()]
        yield Cell.check(
            f"saved scores, {name}",
            expected="accuracy, AUC and VACC as in weka_scores/REFERENCE.csv",
            holds=bool(gaps) and max(gaps) <= 1e-9,
            computed=f"largest difference {max(gaps, default=np.nan):.1e} over {len(gaps)} values",
            checked="must be below 1e-9",
        )


# ---------------------------------------------------------------- statements on all data sets


def _footnote_cell(datasets: Mapping[str, Scored]) -> Cell:
    """Order of the learners by mean VACC with the observed classes and with classes of equal size."""
    where = "Footnote 3"
    changed = {}
    for name, scored in datasets.items():
        even = {
            learner: float(np.mean([vacc_score(one.counts, prevalence=0.5) for one in runs]))
            for learner, runs in scored.scores.items()
        }
        orders = [sorted(values, key=lambda key: values[key]) for values in (volumes_of(scored), even)]
        if orders[0] != orders[1]:
            changed[name] = f"{' < '.join(orders[0])} becomes {' < '.join(orders[1])}"
    words = "; ".join(f"{name}: {text}" for name, text in changed.items())
    return Cell.claim(
        where,
        claim=PUBLISHED[where],
        holds=not changed,
        computed=f"the order changes on {len(changed)} of {len(datasets)} data sets. {words}",
        checked="means over the fold seeds; counts of the same cases, reweighted",
        known=f"the order changes on {', '.join(changed)}",
    )


def _parameter_cells(datasets: Mapping[str, Scored], data: PaperData, *, quick: bool) -> Iterator[Cell]:
    """VACC along each parameter; a step is abrupt if it exceeds what another fold seed does."""
    for where, settings in PARAMETERS.items():
        learner = next(paper for paper, weka_name in LEARNERS.items() if weka_name in settings.values())
        steps, abrupt = {}, []
        for name, scored in datasets.items():
            volumes = [
                vacc_score(score_of(data, name, each, 1, again=not quick).counts)
                for each in settings.values()
            ]
            steps[name] = max(abs(b / a - 1) for a, b in pairwise(volumes))
            allowed = fold_spread(scored, learner)
            if steps[name] > allowed:
                abrupt.append(f"{name} ({steps[name]:.0%}, folds {allowed:.0%})")
        words = ", ".join(f"{name} {step:.0%}" for name, step in steps.items())
        yield Cell.claim(
            where,
            claim=PUBLISHED[where],
            holds=not abrupt,
            computed=f"largest step of VACC: {words}",
            checked=f"{learner} at {', '.join(settings)}, fold seed 1; abrupt: more than 95 % of the changes "
            "between two fold seeds",
            known=f"more than folds explain on {', '.join(abrupt)}",
        )
