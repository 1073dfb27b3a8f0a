"""Differences between models over all costs, paired on the same cases."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demur._kernels.multiple_tests import holm
from demur.auc.difference import AucDifferenceTest, PairedOptions, paired_test
from demur.comparison.comparison import Comparison
from demur.comparison.models import tested_pairs
from demur.comparison.threads import workers
from demur.honest.pairs import judged_pair
from demur.honest.volume_difference import VolumeDifferenceTest, volume_difference_of

__all__ = ["PairDifference", "pair_differences"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PairDifference:
    """First minus second: areas under the ROC curve and volumes, with adjusted p-values."""

    first: str
    second: str
    auc: AucDifferenceTest
    volume: VolumeDifferenceTest
    auc_pvalue: float
    volume_pvalue: float

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, unrounded."""
        return {
            "first": self.first,
            "second": self.second,
            "auc": self.auc.to_dict(),
            "volume": self.volume.to_dict(),
            "auc_adjusted_pvalue": self.auc_pvalue,
            "volume_adjusted_pvalue": self.volume_pvalue,
        }


def pair_differences(comparison: Comparison) -> list[PairDifference]:
    """Compare the models in pairs; none where they were split apart for want of rows."""
    tables, cases = comparison.tables, next(iter(comparison.cases.values()))
    pairs = tested_pairs(comparison.models)
    if not pairs or tables is None:
        return []
    place = {name: at for at, name in enumerate(comparison.models)}
    judged = comparison.judged
    with workers(comparison.n) as pool:
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
    return _adjusted(pairs, auc, volume)


def _adjusted(
    names: Sequence[tuple[str, str]],
    auc: Sequence[AucDifferenceTest],
    volume: Sequence[VolumeDifferenceTest],
) -> list[PairDifference]:
    columns = [holm(np.array([test.pvalue for test in tests])) for tests in (auc, volume)]
    return [
        PairDifference(
            first=first,
            second=second,
            auc=auc[k],
            volume=volume[k],
            auc_pvalue=float(columns[0][k]),
            volume_pvalue=float(columns[1][k]),
        )
        for k, (first, second) in enumerate(names)
    ]
