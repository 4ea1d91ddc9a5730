"""Errors between a program and a server. Every error of the client is a LockstepError."""

from __future__ import annotations

import json


class LockstepError(Exception):
    """The root of all errors of this package."""


class Unreachable(LockstepError):
    """The server did not respond: it is unreachable, the connection broke, or the request timed out."""


class AnswerError(LockstepError):
    """The server answered with an error.

    `status` is the HTTP status, `error_type` the API's error type ("bad_data", "execution", ...) or ""
    if the response has none, `message` the server's text.
    """

    def __init__(self, status: int, error_type: str, message: str) -> None:
        super().__init__(f"{status} {error_type}: {message}" if error_type else f"{status}: {message}")
        self.status = status
        self.error_type = error_type
        self.message = message


class BadRequest(AnswerError):
    """400: the request is invalid; retrying will not help."""


class Unauthorized(AnswerError):
    """401 or 403: the credentials are missing, wrong or insufficient."""


class NotFound(AnswerError):
    """404: nothing has that name, or the server is too old to know the path."""


class QueryFailed(AnswerError):
    """422: the request is valid but cannot be answered, for instance because it exceeds a limit."""


class Unavailable(AnswerError):
    """429 or 503: the server is busy, starting or closing; the same request may work later."""


class QueryCanceled(AnswerError):
    """499: the query was cancelled."""


CLASSES = {400: BadRequest, 401: Unauthorized, 403: Unauthorized, 404: NotFound, 422: QueryFailed,
           429: Unavailable, 499: QueryCanceled, 503: Unavailable}


def from_answer(status: int, body: bytes) -> AnswerError:
    """The error for a response with this status and body."""
    kind, message = "", body.decode(errors="replace").strip()
    try:
        parsed = json.loads(body)
        kind, message = parsed["errorType"], parsed["error"]
    except (ValueError, KeyError, TypeError):
        pass
    return CLASSES.get(status, AnswerError)(status, kind, message)
