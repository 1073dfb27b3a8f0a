from .cost_files import read_cost_matrix as read_cost_matrix
from .cost_sums import read_score_costs as read_score_costs
from .counting import read_counts as read_counts
from .joint import read_joint_counts as read_joint_counts
from .joint import read_paired_counts as read_paired_counts
