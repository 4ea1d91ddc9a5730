"""Converts moments and durations to seconds."""

from __future__ import annotations

import datetime
import re
from typing import Union

Moment = Union[float, int, str, datetime.datetime]
Duration = Union[float, int, str, datetime.timedelta]

UNIT_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w|y))+")
DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w|y)")


def unix_s(moment: Moment) -> float:
    """Unix seconds from a number, a datetime, or an ISO 8601 text; without a zone it is UTC.

    Raises ValueError for invalid text.
    """
    if isinstance(moment, str):
        moment = datetime.datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", moment))
    if isinstance(moment, datetime.datetime):
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.timezone.utc)
        return moment.timestamp()
    return float(moment)


def duration_s(duration: Duration) -> float:
    """Seconds from a number, a timedelta, or a text such as 1m30s. Raises ValueError."""
    if isinstance(duration, datetime.timedelta):
        return duration.total_seconds()
    if isinstance(duration, str) and DURATION.fullmatch(duration):
        return sum(float(number) * UNIT_S[unit] for number, unit in DURATION_PART.findall(duration))
    return float(duration)


def text_of(seconds: float) -> str:
    """Seconds as a parameter of the HTTP API, which has millisecond resolution."""
    return f"{seconds:.3f}"
