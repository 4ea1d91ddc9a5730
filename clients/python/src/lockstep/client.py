"""Client: queries a lockstep server, or any other with the Prometheus HTTP API."""

from __future__ import annotations

import json
import threading
import time as clock
import urllib.parse
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from lockstep import answers, errors
from lockstep.annotations import Annotation, Annotations
from lockstep.answers import Answer, Labels, Matrix, StepMatrix
from lockstep.errors import LockstepError
from lockstep.http_connection import HttpConnection
from lockstep.times import Duration, Moment, duration_s, text_of, unix_s
from lockstep.told import told
from lockstep.training import Training

API = "/api/v1"
DEFAULT_RANGE_S = 3600.0
# About the resolution of a chart; the server's own limit is 11,000.
DEFAULT_POINTS = 250
# The metrics of step numbers: lockstep's for pushed steps, and the one in recordings of trainers.
STEPS = "lockstep_step|train_step"
Selectors = Union[str, Sequence[str], None]


class Metadata(NamedTuple):
    """A metric's metadata."""

    type: str
    help: str
    unit: str


class Reply(NamedTuple):
    """A successful response: its data, and the server's warnings."""

    data: Any
    warnings: List[str]
    infos: List[str]


class Client:
    """Queries one server. Thread-safe; sends one request at a time.

    Every method raises Unreachable if there is no response, an AnswerError with the server's message if
    the response is an error, and ValueError for an invalid time or duration. Times are Unix seconds,
    datetimes, or ISO 8601 texts; without a zone they are UTC.
    """

    def __init__(self, url: str, *, token: Optional[str] = None, timeout_s: float = 30.0) -> None:
        """`url` may contain USER:PASSWORD@ and a path prefix. `timeout_s` limits each wait, and queries on the server."""
        self._connection = HttpConnection(url, token, timeout_s)
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self.training = Training(self._training)

    def query(self, expression: str, time: Optional[Moment] = None, *, limit: Optional[int] = None) -> Answer:
        """The value of an expression at a time, by default now; usually a Vector."""
        return self._ask("query", {"query": expression, "time": moment(time), "limit": number(limit)})

    def query_range(self, expression: str, start: Optional[Moment] = None, end: Optional[Moment] = None,
                    step: Optional[Duration] = None, *, limit: Optional[int] = None) -> Matrix:
        """The values of an expression every `step` from `start` to `end`.

        By default over the last hour, in about 250 steps of whole seconds.
        """
        end_s = clock.time() if end is None else unix_s(end)
        start_s = end_s - DEFAULT_RANGE_S if start is None else unix_s(start)
        step_s = float(max(1, round((end_s - start_s) / DEFAULT_POINTS))) if step is None else duration_s(step)
        matrix = self._ask("query_range", {"query": expression, "start": text_of(start_s),
                                           "end": text_of(end_s), "step": text_of(step_s),
                                           "limit": number(limit)})
        assert isinstance(matrix, Matrix)
        return matrix

    def query_steps(self, expression: str, job: str, first: Optional[int] = None, last: Optional[int] = None,
                    every: Optional[int] = None, attempt: Optional[int] = None) -> StepMatrix:
        """The values of an expression at the ends of the steps of `job`: exact, including device counters.

        By default for all steps of the last attempt, at most 2,000. Only lockstep servers support this; elsewhere use query_by_step.
        """
        told = self._ask("query_range", {"query": expression, "axis": "step", "job": job, "start": number(first),
                                         "end": number(last), "step": number(every), "attempt": number(attempt)})
        assert isinstance(told, Matrix)
        return StepMatrix(job, told.series, told.warnings, told.infos)

    def query_by_step(self, expression: str, job: str, start: Moment, end: Moment,
                      resolution: Duration = 1.0) -> "Any":
        """The expression per training step of `job`, as a pandas frame; see Matrix.by_step.

        Evaluates both every `resolution`: shorter steps may be missing.
        """
        steps = self.query_range(f"{{__name__=~{STEPS!r},job={json.dumps(job)}}}", start, end, resolution)
        return self.query_range(expression, start, end, resolution).by_step(steps)

    def labels(self, match: Selectors = None, start: Optional[Moment] = None, end: Optional[Moment] = None,
               limit: Optional[int] = None) -> List[str]:
        """The label names of the series that match one of the selectors, by default of all."""
        return list(self._post("labels", selected(match, start, end, limit)).data)

    def label_values(self, name: str, match: Selectors = None, start: Optional[Moment] = None,
                     end: Optional[Moment] = None, limit: Optional[int] = None) -> List[str]:
        """The values of a label in the series that match one of the selectors."""
        path = f"label/{urllib.parse.quote(name, safe='')}/values"
        return list(self._get(path, selected(match, start, end, limit)).data)

    def series(self, match: Selectors, start: Optional[Moment] = None, end: Optional[Moment] = None,
               limit: Optional[int] = None) -> List[Labels]:
        """The labels of the series that match one of the selectors."""
        return list(self._post("series", selected(match, start, end, limit)).data)

    def metadata(self, metric: Optional[str] = None) -> Dict[str, List[Metadata]]:
        """The metadata of a metric, or of all."""
        told = self._get("metadata", {"metric": metric}).data
        return {name: [Metadata(one["type"], one["help"], one["unit"]) for one in said]
                for name, said in told.items()}

    def annotations(self, start: Optional[Moment] = None, end: Optional[Moment] = None, *, job: Optional[str] = None,
                    kind: Union[str, Sequence[str], None] = None, tag: Union[str, Sequence[str], None] = None,
                    limit: Optional[int] = None) -> Annotations:
        """Annotations in a time range, by default the latest 1,000; with any of the kinds and all of the tags."""
        reply = self._get("annotations", {"start": moment(start), "end": moment(end), "job": job, "kind": kind,
                                          "tag": tag, "limit": number(limit)})
        return told(Annotations, {"annotations": reply.data, "warnings": reply.warnings})

    def annotate(self, text: Optional[str] = None, *, kind: Optional[str] = None, job: str = "",
                 time: Optional[Moment] = None, start: Optional[Moment] = None, end: Optional[Moment] = None,
                 id: Optional[str] = None, first_step: Optional[int] = None, last_step: Optional[int] = None,
                 tags: Optional[Sequence[str]] = None, labels: Optional[Dict[str, Any]] = None) -> Annotation:
        """Stores an annotation about now, a `time`, or from `start` until `end`, or until it is given an end later.

        With the `job` and `id` of an earlier one, changes what is given. Needs the role push.
        """
        times = {name: None if time is None else unix_s(time)
                 for name, time in (("time", time), ("start", start), ("end", end))}
        annotation = {"text": text, "kind": kind, "job": job, "id": id, **times, "first_step": first_step,
                      "last_step": last_step, "tags": None if tags is None else list(tags), "labels": labels}
        reply = self._request("POST", f"{API}/annotations", json.dumps(annotation).encode(),
                              {"Content-Type": "application/json"})
        return told(Annotation, reply.data[0])

    def delete_annotation(self, id: str, job: Optional[str] = None) -> None:
        """Deletes an annotation; `job` is needed if several jobs have one with that id. Raises NotFound."""
        self._request("DELETE", f"{API}/annotations?{encoded({'id': id, 'job': job})}", None, {})

    def close(self) -> None:
        """Closes the connection; the next request opens another."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, path: str, form: Dict[str, Any]) -> Answer:
        reply = self._post(path, {**form, "timeout": f"{self._timeout_s:g}s"})
        try:
            return answers.parsed(reply.data, reply.warnings, reply.infos)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise LockstepError(f"{path}: the response is not a query result: {error!r}") from error

    def _training(self, question: str, parameters: Dict[str, Any]) -> Any:
        return self._get(f"training/{question}", parameters).data

    def _post(self, path: str, form: Dict[str, Any]) -> Reply:
        return self._request("POST", f"{API}/{path}", encoded(form).encode(),
                             {"Content-Type": "application/x-www-form-urlencoded"})

    def _get(self, path: str, parameters: Dict[str, Any]) -> Reply:
        asked = encoded(parameters)
        return self._request("GET", f"{API}/{path}?{asked}" if asked else f"{API}/{path}", None, {})

    def _request(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> Reply:
        with self._lock:
            answer = self._connection.request(method, path, body, headers)
        if answer.status != 200:
            raise errors.from_answer(answer.status, answer.body)
        try:
            told = json.loads(answer.body)
            return Reply(told["data"], told.get("warnings") or [], told.get("infos") or [])
        except (ValueError, KeyError, TypeError) as error:
            raise LockstepError(f"{path}: the response is not JSON of this API: {error!r}") from error


def moment(time: Optional[Moment]) -> Optional[str]:
    return None if time is None else text_of(unix_s(time))


def number(value: Optional[int]) -> Optional[str]:
    return None if value is None else str(value)


def selected(match: Selectors, start: Optional[Moment], end: Optional[Moment],
             limit: Optional[int]) -> Dict[str, Any]:
    """The common parameters of requests for names."""
    selectors = [match] if isinstance(match, str) else list(match or ())
    return {"match[]": selectors, "start": moment(start), "end": moment(end), "limit": number(limit)}


def encoded(parameters: Dict[str, Any]) -> str:
    """The parameters that are set, for a URL or a form."""
    return urllib.parse.urlencode({name: value for name, value in parameters.items() if value is not None},
                                  doseq=True)
