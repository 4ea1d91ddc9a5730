"""Sends the waiting part of one stream, oldest first, as the server requests it."""

from __future__ import annotations

import threading
from typing import Optional

from lockstep import step_push
from lockstep.backlog import Backlog, Piece
from lockstep.http_connection import HttpConnection
from lockstep.step_push import Later, Resume, Taken
from lockstep.tally import Tally


class StreamSender:
    """Owns a stream's progress. One thread sends; others may use the backlog under `lock`."""

    def __init__(self, stream: str, backlog: Backlog, tally: Tally) -> None:
        self.lock = threading.Lock()
        self.backlog = backlog
        self._origin = stream
        self._stream = stream
        # The backlog offset at which the stream of that name begins.
        self._base = 0
        self._max_bytes = step_push.MAX_BODY_BYTES
        self._tally = tally

    def send_oldest(self, connection: HttpConnection) -> Optional[Later]:
        """Sends one request, without the lock; returns why it must be retried later, or None.

        Raises OSError if waiting data on the disk cannot be read.
        """
        with self.lock:
            piece = self.backlog.oldest(self._max_bytes)
            lost_bytes, self.backlog.lost_bytes = self.backlog.lost_bytes, 0
        if lost_bytes:
            self._tally.add(errors=1)
            self._tally.warn_once("lost", f"{lost_bytes} bytes of steps disappeared from the spool")
        if piece is None:
            return None
        outcome = step_push.push(connection, self._stream, piece.offset - self._base, piece.lines)
        if isinstance(outcome, Later):
            self._tally.add(failed_requests=1)
            return outcome
        if isinstance(outcome, Taken):
            self._settle(piece, outcome)
        elif isinstance(outcome, Resume):
            return self._resume(piece, outcome.offset + self._base)
        else:
            self._shrink(piece)
        return None

    def _settle(self, piece: Piece, taken: Taken) -> None:
        self._tally.add(accepted=taken.accepted, rejected=taken.rejected)
        if taken.rejected:
            self._tally.warn_once("rejected", f"the server rejected {taken.rejected} steps: {taken.why}")
        self._acknowledge(piece.end)

    def _resume(self, piece: Piece, expected: int) -> Optional[Later]:
        """The server has the stream up to `expected`, in the backlog's offsets."""
        known = expected - piece.offset
        if expected >= piece.end:
            self._skip(piece.lines, piece.end)
        elif known > 0 and piece.lines[known - 1:known] == b"\n":
            self._skip(piece.lines[:known], expected)
        elif self._base == piece.offset:
            return Later(f"the server wants a stream to begin at {expected - self._base}", None)
        else:
            # It needs bytes that are gone here, because it lost them or because a line was dropped.
            self._stream = f"{self._origin}.{piece.offset}"
            self._base = piece.offset
        return None

    def _skip(self, lines: bytes, end: int) -> None:
        self._tally.add(accepted=lines.count(b"\n"))
        self._acknowledge(end)

    def _shrink(self, piece: Piece) -> None:
        if piece.lines.count(b"\n") > 1:
            self._max_bytes = max(1, len(piece.lines) // 2)
            return
        self._tally.add(dropped=1)
        self._tally.warn_once("too large", f"a step of {len(piece.lines)} bytes exceeds the server's limit")
        self._acknowledge(piece.end)

    def _acknowledge(self, end: int) -> None:
        with self.lock:
            self.backlog.acknowledge(end)
