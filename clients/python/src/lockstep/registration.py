"""POST /api/v1/training/register: where this rank runs, that its process is alive, and how it ended.

With this, the server finds the counters of the rank's GPU, and distinguishes a hanging job from one that ended or
crashed.
"""

from __future__ import annotations

import json
import time
from typing import Any, Dict, Optional

from lockstep.errors import Unreachable
from lockstep.http_connection import HttpConnection
from lockstep.identity import Identity
from lockstep.own_gpu import OwnGpu

PATH = "/api/v1/training/register"
# A process that sends no steps reports that it is alive this often.
ALIVE_EVERY_S = 15.0


class Registration:
    """The registrations sent to the server. For one thread at a time."""

    def __init__(self, identity: Identity, gpu: Optional[OwnGpu]) -> None:
        """Records the rank's start."""
        self._process = _process_fields(identity)
        self._begin = {**self._process, **_place_fields(identity, gpu), "from": round(time.time(), 3)}
        self._is_settled = False
        self._is_taken = False
        self._heard_at = 0.0
        self._last_step_s = 0.0

    def note_step(self, time_s: float) -> None:
        """Records that a step was logged at that Unix time."""
        self._last_step_s = max(self._last_step_s, time_s)

    @property
    def has_steps(self) -> bool:
        """Whether steps were logged."""
        return self._last_step_s > 0

    def send(self, connection: HttpConnection) -> None:
        """Registers, unless already done or not supported by the server. Called after steps were sent."""
        self._heard_at = time.monotonic()
        if self._is_settled:
            return
        status = _post(connection, _body({**self._begin, "alive": round(time.time(), 3)}))
        self._is_settled = _settles(status)
        self._is_taken = status is not None and 200 <= status < 300

    def stay(self, connection: HttpConnection) -> None:
        """Reports that the process is alive, if the server has not heard from it for a while."""
        if self._is_taken and time.monotonic() - self._heard_at >= ALIVE_EVERY_S:
            self._heard_at = time.monotonic()
            _post(connection, _body({**self._process, "alive": round(time.time(), 3)}))

    def end(self, exit_code: int) -> Optional[bytes]:
        """The registration of the process's end, for `tell`. None if the server does not support it."""
        if self._is_settled and not self._is_taken:
            return None
        # If the clock was set back, the end must not precede what it ends.
        end = max(round(time.time(), 3), self._begin["from"] + 0.001, round(self._last_step_s, 3))
        return _body({**self._begin, "to": end, "exit_code": exit_code})


def tell(connection: HttpConnection, body: bytes) -> bool:
    """Sends a registration; returns whether it is final: accepted, or rejected for good."""
    return _settles(_post(connection, body))


def _body(fields: Dict[str, Any]) -> bytes:
    return json.dumps(fields).encode()


def _post(connection: HttpConnection, body: bytes) -> Optional[int]:
    try:
        return connection.request("POST", PATH, body, {"Content-Type": "application/json"}).status
    except Unreachable:
        return None


def _settles(status: Optional[int]) -> bool:
    return status is not None and status < 500 and status != 429


def _process_fields(identity: Identity) -> Dict[str, Any]:
    fields: Dict[str, Any] = {"job": identity.job, "rank": identity.rank}
    if identity.attempt is not None:
        fields["attempt"] = identity.attempt
    return fields


def _place_fields(identity: Identity, gpu: Optional[OwnGpu]) -> Dict[str, Any]:
    fields: Dict[str, Any] = {"host": identity.host}
    # A rank set by the program may exceed a world size that no launcher has set.
    if identity.rank < identity.world_size:
        fields["world_size"] = identity.world_size
    if gpu is not None:
        fields.update({"gpu": gpu.index, "uuid": gpu.uuid, "gpu_model": gpu.model})
    return fields
