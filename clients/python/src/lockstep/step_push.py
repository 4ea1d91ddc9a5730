"""POST /api/v1/push/steps: sends a piece of a stream, and interprets the response.

Every request contains the stream's name and the offset of its first byte, so that a piece that
arrives twice is stored once. docs/python.md describes the protocol.
"""

from __future__ import annotations

import gzip
import json
from typing import Any, List, Mapping, NamedTuple, Optional, Union

from lockstep.backlog import Piece
from lockstep.backoff import retry_after_s
from lockstep.http_connection import Answer, HttpConnection
from lockstep.errors import Unreachable

PATH = "/api/v1/push/steps"
MAX_BODY_BYTES = 1 << 20
# Smaller requests are only one or two packets anyway.
COMPRESS_FROM_BYTES = 4096


class Taken(NamedTuple):
    """The piece is finished: `accepted` lines are stored, the others never will be."""

    accepted: int
    rejected: int
    why: str


class Resume(NamedTuple):
    """The server has the stream up to `offset` and needs what follows."""

    offset: int


class TooLarge(NamedTuple):
    """The server accepts only smaller pieces."""


class Later(NamedTuple):
    """The piece is not stored; the server requested a pause of `after_s`, if set."""

    why: str
    after_s: Optional[float]


Outcome = Union[Taken, Resume, TooLarge, Later]


def push(connection: HttpConnection, stream: str, offset: int, lines: bytes) -> Outcome:
    """Sends whole lines that begin at `offset` of `stream`. Never raises because of the server."""
    headers = {"Content-Type": "application/x-ndjson", "X-Lockstep-Stream": stream,
               "X-Lockstep-Offset": str(offset)}
    body = lines
    if len(lines) >= COMPRESS_FROM_BYTES:
        body = gzip.compress(lines, compresslevel=1)
        headers["Content-Encoding"] = "gzip"
    try:
        answer = connection.request("POST", PATH, body, headers)
    except Unreachable as error:
        return Later(str(error), None)
    return outcome_of(answer, Piece(offset, lines))


def outcome_of(answer: Answer, piece: Piece) -> Outcome:
    """Interprets the response to a piece."""
    told = _object(answer.body)
    # Without this key, the response is not from lockstep.
    if (200 <= answer.status < 300 or answer.status == 400) and "accepted" in told:
        return _taken(told, piece)
    if answer.status == 400:
        return Taken(0, piece.lines.count(b"\n"), _words(answer))
    if answer.status == 409 and isinstance(told.get("expected_offset"), int):
        return Resume(told["expected_offset"])
    if answer.status == 413:
        return TooLarge()
    return Later(_words(answer), retry_after_s(answer.headers))


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        told = json.loads(body)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _taken(told: Mapping[str, Any], piece: Piece) -> Taken:
    rejected: List[Any] = told.get("rejected") or []
    lines = piece.lines.count(b"\n")
    first = rejected[0] if rejected else None
    why = f"line {first.get('line')}: {first.get('reason')}" if isinstance(first, dict) else str(first or "")
    accepted = told.get("accepted")
    return Taken(accepted if isinstance(accepted, int) else lines - len(rejected), len(rejected), why)


def _words(answer: Answer) -> str:
    text = answer.body.decode(errors="replace").strip()
    return f"the server answered {answer.status}: {text[:300]}"
