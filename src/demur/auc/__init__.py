"""Inference about the area under the ROC curve: one model, two, several, parts of the curve, planning.

DeLong's variance, the exact jackknife, bootstrap and permutation laws of Bandos, Rockette, Gur
(2006), clusters, tests of parts and points of the curve, margins, several readers, power and sample
size.

Imports: paired, roc, counts.
"""

from typing import TYPE_CHECKING

from demur._rooms import on_demand

if TYPE_CHECKING:
    from demur.auc.bootstrap import RocDifferenceTest
    from demur.auc.clustered import auc_cluster_interval, auc_cluster_variance
    from demur.auc.curves import (
        partial_auc_difference_test,
        partial_auc_interval,
        partial_auc_unpaired_test,
        roc_point_test,
        roc_point_unpaired_test,
    )
    from demur.auc.difference import AucDifferenceTest, auc_difference_test, auc_difference_variances
    from demur.auc.margins import auc_margin_test
    from demur.auc.one import AucInterval, auc_interval, auc_variance
    from demur.auc.planning import AucSampleSize, auc_power, auc_sample_size
    from demur.auc.readers import ReaderStudy, reader_study
    from demur.auc.several import (
        AucContrastTest,
        AucPairwiseTests,
        auc_contrast_test,
        auc_covariance,
        auc_pairwise_tests,
    )
    from demur.auc.studies import AucStudy, PilotStudy, auc_study, pilot_study
    from demur.auc.unpaired import AucUnpairedTest, auc_unpaired_test
    from demur.auc.venkatraman import VenkatramanTest, venkatraman_test, venkatraman_unpaired_test

__all__ = [
    "AucContrastTest",
    "AucDifferenceTest",
    "AucInterval",
    "AucPairwiseTests",
    "AucSampleSize",
    "AucStudy",
    "AucUnpairedTest",
    "PilotStudy",
    "ReaderStudy",
    "RocDifferenceTest",
    "VenkatramanTest",
    "auc_cluster_interval",
    "auc_cluster_variance",
    "auc_contrast_test",
    "auc_covariance",
    "auc_difference_test",
    "auc_difference_variances",
    "auc_interval",
    "auc_margin_test",
    "auc_pairwise_tests",
    "auc_power",
    "auc_sample_size",
    "auc_study",
    "auc_unpaired_test",
    "auc_variance",
    "partial_auc_difference_test",
    "partial_auc_interval",
    "partial_auc_unpaired_test",
    "pilot_study",
    "reader_study",
    "roc_point_test",
    "roc_point_unpaired_test",
    "venkatraman_test",
    "venkatraman_unpaired_test",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
