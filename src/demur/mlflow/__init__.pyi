from .logging import log_answer as log_answer
