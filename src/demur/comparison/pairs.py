"""Models of a comparison in pairs: differences of areas and of volumes, with p-values adjusted together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from demur._kernels.multiple_tests import holm
from demur._results import Result
from demur.auc.difference import AucDifferenceTest, PairedOptions, paired_test
from demur.auc.tables import ModelTables
from demur.comparison.threads import workers
from demur.honest.cases import JudgedModel, SplitCases
from demur.honest.pairs import judged_pair
from demur.honest.volume_difference import VolumeDifferenceTest, volume_difference_of

__all__ = ["PairDifference", "pair_differences"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PairDifference(Result):
    """Two models of a comparison, first minus second; made by `Comparison.pairs`.

    Attributes
    ----------
    first, second : str
        Names of the models.
    auc : AucDifferenceTest
        Areas under the ROC curve: DeLong's test, by clusters where cases form some (Obuchowski).
    volume : VolumeDifferenceTest
        Volumes under the abstention cost surface (VACC), from the scores of cases or totals of clusters.
    auc_adjusted_pvalue, volume_adjusted_pvalue : float
        Valid for all pairs together (Holm).

    Examples
    --------
    Does the new model rank better than the old one, or was it luck?

    >>> import numpy as np
    >>> from demur import Binormal, compare_models
    >>> y, new = Binormal(separation=2.0).sample(300, rng=0)
    >>> old = new + np.random.default_rng(1).normal(size=300)
    >>> (pair,) = compare_models(y, {"old": old, "new": new}).pairs()
    >>> pair.first, round(pair.auc.difference, 3), round(pair.auc_adjusted_pvalue, 3)
    ('new', 0.041, 0.014)
    """

    first: str
    second: str
    auc: AucDifferenceTest
    volume: VolumeDifferenceTest
    auc_adjusted_pvalue: float
    volume_adjusted_pvalue: float


def pair_differences(
    pairs: Sequence[tuple[str, str]],
    judged: Mapping[str, JudgedModel],
    cases: SplitCases,
    tables: ModelTables,
) -> tuple[PairDifference, ...]:
    """Test the differences of pairs of models judged on the same cases."""
    place = {name: at for at, name in enumerate(judged)}
    with workers(cases.n) as pool:
        volumes = pool.map(
            lambda pair: volume_difference_of(judged_pair(cases, judged[pair[0]], judged[pair[1]])), pairs
        )
        # scores are ordered on the way, once for each model: one thread does all of these
        areas = pool.submit(
            lambda: [
                paired_test(tables, place[a], place[b], PairedOptions(method="delong")) for a, b in pairs
            ]
        )
        auc, volume = areas.result(), list(volumes)
    adjusted = [holm(np.array([test.pvalue for test in tests])).tolist() for tests in (auc, volume)]
    return tuple(
        PairDifference(
            first=first,
            second=second,
            auc=area,
            volume=volume_gap,
            auc_adjusted_pvalue=auc_pvalue,
            volume_adjusted_pvalue=volume_pvalue,
        )
        for (first, second), area, volume_gap, auc_pvalue, volume_pvalue in zip(
            pairs, auc, volume, *adjusted, strict=True
        )
    )
