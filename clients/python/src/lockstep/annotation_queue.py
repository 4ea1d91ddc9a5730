"""AnnotationQueue: the annotations of a logger that are not on the server yet.

They wait in memory, not in the spool: what is left when the process ends is lost, and counted. Each has an
id, so that sending it again, or its begin after its end, changes nothing.
"""

from __future__ import annotations

import json
import uuid
from collections import deque
from typing import Any, Deque, Dict, Mapping, Optional, Sequence

from lockstep.backoff import retry_after_s
from lockstep.errors import Unreachable
from lockstep.http_connection import HttpConnection
from lockstep.step_push import Later
from lockstep.tally import Tally

PATH = "/api/v1/annotations"
MAX_QUEUED = 1000


def new_id() -> str:
    return uuid.uuid4().hex


def fields(job: str, id: str, kind: str, text: str, *, start: Optional[float], end: Optional[float],
           first_step: Optional[int], last_step: Optional[int], tags: Sequence[str],
           labels: Mapping[str, Any]) -> Dict[str, Any]:
    """The members of a request; those that are None are left out."""
    told: Dict[str, Any] = {
        "job": job, "id": id, "kind": str(kind), "text": str(text), "start": start, "end": end,
        "first_step": None if first_step is None else int(first_step),
        "last_step": None if last_step is None else int(last_step),
        "tags": [str(tag) for tag in tags] or None,
        "labels": {str(name): str(value) for name, value in labels.items()} or None}
    return {name: value for name, value in told.items() if value is not None}


class AnnotationQueue:
    """`put` may be called by any thread, the other methods by one at a time."""

    def __init__(self, tally: Tally) -> None:
        self._bodies: Deque[bytes] = deque()
        self._tally = tally

    def __len__(self) -> int:
        return len(self._bodies)

    def put(self, annotation: Mapping[str, Any]) -> None:
        if len(self._bodies) >= MAX_QUEUED:
            self._tally.add(dropped=1)
            self._tally.warn_once("annotations", "the server is unreachable, and too many annotations wait: they are dropped")
            return
        self._bodies.append(json.dumps(annotation).encode())

    def send(self, connection: HttpConnection) -> Optional[Later]:
        """Sends all of them in order. A Later is why some still wait."""
        while self._bodies:
            try:
                answer = connection.request("POST", PATH, self._bodies[0], {"Content-Type": "application/json"})
            except Unreachable as error:
                return Later(str(error), None)
            if answer.status == 429 or answer.status >= 500:
                return Later(f"the server answered {answer.status}", retry_after_s(answer.headers))
            self._bodies.popleft()
            if answer.status >= 300:
                words = answer.body.decode(errors="replace").strip()[:300]
                self._tally.add(rejected=1)
                self._tally.warn_once("annotation", f"the server rejected an annotation with {answer.status}: {words}")
        return None

    def give_up(self) -> None:
        """Counts and drops those that still wait."""
        if self._bodies:
            self._tally.add(dropped=len(self._bodies))
            self._tally.warn_once("annotations", "the server is unreachable: annotations are lost")
            self._bodies.clear()
