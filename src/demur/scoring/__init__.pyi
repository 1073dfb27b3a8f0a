from .scorers import AbstentionScorer as AbstentionScorer
from .scorers import cost_scorer as cost_scorer
from .scorers import coverage_scorer as coverage_scorer
from .scorers import make_abstention_scorer as make_abstention_scorer
from .scorers import selective_accuracy_scorer as selective_accuracy_scorer
