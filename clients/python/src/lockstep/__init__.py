"""lockstep: steps into, and answers out of, a lockstep metrics store for training fleets."""

from lockstep.errors import (AnswerError, BadRequest, LockstepError, NotFound, QueryCanceled, QueryFailed,
                             Unauthorized, Unavailable, Unreachable)
from lockstep.identity import Identity
from lockstep.step_logger import StepLogger

__all__ = ["AnswerError", "BadRequest", "Identity", "LockstepError", "NotFound", "QueryCanceled",
           "QueryFailed", "StepLogger", "Unauthorized", "Unavailable", "Unreachable"]
