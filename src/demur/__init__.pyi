# Made by tools/write_stub.py from the table in __init__.py.

from demur._results import Interval as Interval
from demur.abstention import ABSTAIN as ABSTAIN
from demur.abstention import AbstentionSurface as AbstentionSurface
from demur.abstention import AbstentionWindow as AbstentionWindow
from demur.abstention import MeanRates as MeanRates
from demur.abstention import SurfaceGrid as SurfaceGrid
from demur.abstention import abstention_surface as abstention_surface
from demur.abstention import decide as decide
from demur.abstention import plugin_vacc_score as plugin_vacc_score
from demur.abstention import vacc_score as vacc_score
from demur.cost_curves import AverageCostCurve as AverageCostCurve
from demur.cost_curves import BestRange as BestRange
from demur.cost_curves import CostCurve as CostCurve
from demur.cost_curves import average_cost_curves as average_cost_curves
from demur.cost_curves import best_ranges as best_ranges
from demur.cost_curves import cost_curve as cost_curve
from demur.cost_lines import CostLine as CostLine
from demur.cost_lines import CostLineDifference as CostLineDifference
from demur.cost_lines import cost_line as cost_line
from demur.cost_lines import cost_line_difference as cost_line_difference
from demur.cost_lines import roc_line_to_cost_point as roc_line_to_cost_point
from demur.costs import CostModel as CostModel
from demur.costs import probability_cost as probability_cost
from demur.counts import Blocks as Blocks
from demur.counts import ScoreCounts as ScoreCounts
from demur.exceptions import DegenerateDataWarning as DegenerateDataWarning
from demur.exceptions import DemurError as DemurError
from demur.exceptions import InputError as InputError
from demur.exceptions import UndefinedError as UndefinedError
from demur.net_benefit import NetBenefitCurve as NetBenefitCurve
from demur.net_benefit import net_benefit_curve as net_benefit_curve
from demur.regions import SurfaceCells as SurfaceCells
from demur.regions import SurfaceDifference as SurfaceDifference
from demur.roc import PrecisionRecallCurve as PrecisionRecallCurve
from demur.roc import RocCurve as RocCurve
from demur.roc import RocHull as RocHull
from demur.roc import auc_score as auc_score
from demur.roc import precision_recall_curve as precision_recall_curve
from demur.roc import roc_curve as roc_curve

__version__: str
