"""What can go wrong between a program and a server. Every error of the client is a LockstepError."""

from __future__ import annotations

import json


class LockstepError(Exception):
    """The root of all errors of this package."""


class Unreachable(LockstepError):
    """The server gave no answer: it is not there, the connection broke, or the timeout passed."""


class AnswerError(LockstepError):
    """The server answered with an error.

    `status` is the HTTP status, `error_type` the API's own word for the kind ("bad_data",
    "execution", ...) or "" where the answer has none, `message` the server's text.
    """

    def __init__(self, status: int, error_type: str, message: str) -> None:
        super().__init__(f"{status} {error_type}: {message}" if error_type else f"{status}: {message}")
        self.status = status
        self.error_type = error_type
        self.message = message


class BadRequest(AnswerError):
    """400: the server does not understand the question; asking it again will not help."""


class Unauthorized(AnswerError):
    """401 or 403: the server wants other credentials, or does not let these do this."""


class NotFound(AnswerError):
    """404: there is nothing under that name, or this server is too old to know the path."""


class QueryFailed(AnswerError):
    """422: the question is well formed and cannot be answered, for instance over a limit."""


class Unavailable(AnswerError):
    """429 or 503: the server is busy, starting or closing; the same request may work later."""


class QueryCanceled(AnswerError):
    """499: somebody stopped the query."""


CLASSES = {400: BadRequest, 401: Unauthorized, 403: Unauthorized, 404: NotFound, 422: QueryFailed,
           429: Unavailable, 499: QueryCanceled, 503: Unavailable}


def from_answer(status: int, body: bytes) -> AnswerError:
    """The error that an answer with this status and body means."""
    kind, message = "", body.decode(errors="replace").strip()
    try:
        parsed = json.loads(body)
        kind, message = parsed["errorType"], parsed["error"]
    except (ValueError, KeyError, TypeError):
        pass
    return CLASSES.get(status, AnswerError)(status, kind, message)
