"""POST /api/v1/training/register: where this rank runs, so that its GPU's counters are found with its steps."""

from __future__ import annotations

import json
import time
from typing import Any, Dict, Optional

from lockstep.errors import Unreachable
from lockstep.http_connection import HttpConnection
from lockstep.identity import Identity
from lockstep.own_gpu import OwnGpu

PATH = "/api/v1/training/register"


class Registration:
    """What the server is told once. For one thread at a time."""

    def __init__(self, identity: Identity, gpu: Optional[OwnGpu]) -> None:
        """The rank is there from now on."""
        self._body = json.dumps(_fields(identity, gpu)).encode()
        self._is_settled = False

    def send(self, connection: HttpConnection) -> None:
        """Tells the server unless it was told, or said that it does not take this."""
        if self._is_settled:
            return
        try:
            answer = connection.request("POST", PATH, self._body, {"Content-Type": "application/json"})
        except Unreachable:
            return
        self._is_settled = answer.status < 500 and answer.status != 429


def _fields(identity: Identity, gpu: Optional[OwnGpu]) -> Dict[str, Any]:
    fields: Dict[str, Any] = {
        "job": identity.job, "rank": identity.rank, "host": identity.host, "world_size": identity.world_size,
        "from": round(time.time(), 3)}
    if identity.attempt is not None:
        fields["attempt"] = identity.attempt
    if gpu is not None:
        fields.update({"gpu": gpu.index, "uuid": gpu.uuid, "gpu_model": gpu.model})
    return fields
