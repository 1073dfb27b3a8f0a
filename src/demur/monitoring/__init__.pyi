from .judgement import GroupJudgement as GroupJudgement
from .judgement import PolicyJudgement as PolicyJudgement
from .judgement import judge_policy as judge_policy
from .monitor import PolicyMonitor as PolicyMonitor
from .monitor import RecentBatches as RecentBatches
