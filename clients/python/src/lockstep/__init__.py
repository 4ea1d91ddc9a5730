"""lockstep: logs steps to, and queries, a lockstep metrics store for training fleets."""

from lockstep.annotations import Annotation, Annotations
from lockstep.answers import Histogram, Matrix, Scalar, Series, StepMatrix, Vector
from lockstep.client import Client
from lockstep.errors import (AnswerError, BadRequest, LockstepError, NotFound, QueryCanceled, QueryFailed,
                             Unauthorized, Unavailable, Unreachable)
from lockstep.identity import Identity
from lockstep.phase_timer import PhaseTimer
from lockstep.step_logger import StepLogger

__all__ = ["Annotation", "Annotations", "AnswerError", "BadRequest", "Client", "Histogram", "Identity",
           "LockstepError", "Matrix", "NotFound", "PhaseTimer", "QueryCanceled", "QueryFailed", "Scalar",
           "Series", "StepLogger", "StepMatrix", "Unauthorized", "Unavailable", "Unreachable", "Vector"]
