from .evidence import PolicyEvidence as PolicyEvidence
from .evidence import Promise as Promise
from .policy import Policy as Policy
