from .evidence import PolicyEvidence as PolicyEvidence
from .policy import Policy as Policy
from .promise import Promise as Promise
