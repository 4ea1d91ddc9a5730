"""Sends remote write requests in order on its own thread, and keeps them while that fails."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import Deque, Optional

from lockstep.agent import remote_write
from lockstep.backoff import Backoff, retry_after_s
from lockstep.errors import Unreachable
from lockstep.http_connection import HttpConnection

# Half an hour of a host with eight GPUs.
MAX_WAITING_BYTES = 64 << 20
# The request or some of its samples are invalid: resending does not help.
REFUSED = frozenset({400, 413, 415, 422})
LOGGER = logging.getLogger("lockstep.agent")


class Pusher:
    """A bounded queue of request bodies. If it is full, the oldest are dropped; `dropped` counts them."""

    def __init__(self, connection: HttpConnection, max_waiting_bytes: int = MAX_WAITING_BYTES) -> None:
        self.dropped = 0
        self._connection = connection
        self._max_waiting_bytes = max_waiting_bytes
        self._waiting: Deque[bytes] = deque()
        self._waiting_bytes = 0
        self._changed = threading.Condition()
        self._closing = False
        self._failing = False
        self._backoff = Backoff()
        self._thread = threading.Thread(target=self._run, name="lockstep-push", daemon=True)
        self._thread.start()

    def push(self, body: bytes) -> None:
        """Queues a request; does not wait."""
        with self._changed:
            self._waiting.append(body)
            self._waiting_bytes += len(body)
            while self._waiting_bytes > self._max_waiting_bytes:
                self._waiting_bytes -= len(self._waiting.popleft())
                self.dropped += 1
            self._changed.notify_all()

    def close(self, timeout_s: float) -> bool:
        """Tries once more to send what waits; returns whether everything was sent."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout_s)
        return not self._waiting

    def _run(self) -> None:
        self._push_all()
        self._connection.close()

    def _push_all(self) -> None:
        """Sends until it is closed and the queue is empty, or until a request must wait."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                body = self._waiting[0]
            delay_s = self._send(body)
            with self._changed:
                if delay_s is None:
                    self._forget(body)
                elif self._closing or self._changed.wait_for(lambda: self._closing, delay_s):
                    return

    def _forget(self, body: bytes) -> None:
        """Removes the finished request, unless it has been dropped meanwhile."""
        if self._waiting and self._waiting[0] is body:
            self._waiting.popleft()
            self._waiting_bytes -= len(body)

    def _send(self, body: bytes) -> Optional[float]:
        """Returns None if the request is finished, otherwise the seconds to wait before resending it."""
        try:
            answer = self._connection.request("POST", remote_write.PATH, body, remote_write.HEADERS)
        except Unreachable as error:
            return self._failed(str(error), None)
        if 200 <= answer.status < 300:
            self._succeeded()
            return None
        text = answer.body.decode(errors="replace").strip()[:300]
        if answer.status in REFUSED:
            LOGGER.warning("the server refused samples: %d %s", answer.status, text)
            self._succeeded()
            return None
        return self._failed(f"the server answered {answer.status}: {text}", retry_after_s(answer.headers))

    def _failed(self, why: str, asked_s: Optional[float]) -> float:
        if not self._failing:
            LOGGER.warning("samples wait: %s", why)
        self._failing = True
        return self._backoff.failed() if asked_s is None else self._backoff.asked(asked_s)

    def _succeeded(self) -> None:
        if self._failing:
            LOGGER.warning("samples are sent again, %d requests were dropped so far", self.dropped)
        self._failing = False
        self._backoff.succeeded()
