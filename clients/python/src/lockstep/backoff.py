"""Computes the wait before the next attempt."""

from __future__ import annotations

import random
from typing import Mapping, Optional

FIRST_S = 0.5
LONGEST_S = 30.0
LONGEST_ASKED_FOR_S = 300.0


class Backoff:
    """Waits that double with every failure, each randomly shortened so that ranks do not retry in sync."""

    def __init__(self) -> None:
        # Not the module's generator, whose state belongs to the training.
        self._random = random.Random()
        self._next_s = FIRST_S

    def failed(self) -> float:
        """Seconds to wait after another failure."""
        delay_s = self._next_s * self._random.uniform(0.5, 1.0)
        self._next_s = min(2 * self._next_s, LONGEST_S)
        return delay_s

    def asked(self, seconds: float) -> float:
        """Seconds to wait if the server requested this many: up to a tenth more."""
        return min(seconds, LONGEST_ASKED_FOR_S) * self._random.uniform(1.0, 1.1)

    def succeeded(self) -> None:
        self._next_s = FIRST_S


def retry_after_s(headers: Mapping[str, str]) -> Optional[float]:
    """The seconds of a Retry-After header; None if there is none, or it is a date."""
    text = headers.get("retry-after", "").strip()
    return float(text) if text.isdigit() else None
