"""Training answers: which rank is slow, what bounds the GPUs, what the FLOPs are worth, what happened.

Every answer keeps what this version has no attribute for in `unknown`, under the server's names.
"""

from __future__ import annotations

import dataclasses
import html
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Type, TypeVar

from lockstep import html_tables, times
from lockstep.times import Moment

T = TypeVar("T")
Ask = Callable[[str, Dict[str, Any]], Any]


def field(key: str = "", of: Optional[type] = None, default: Any = None) -> Any:
    """An attribute that the server calls `key`; a list of `of` objects, if that is given."""
    metadata = {"key": key, "of": of}
    if of is not None:
        return dataclasses.field(default_factory=list, metadata=metadata)
    if callable(default):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def told(kind: Type[T], fields: Mapping[str, Any]) -> T:
    """An object of that class from one of the API; what it lacks keeps its default."""
    rest = dict(fields)
    values: Dict[str, Any] = {}
    for attribute in dataclasses.fields(kind):  # type: ignore[arg-type]
        key = attribute.metadata.get("key") or attribute.name
        if attribute.name == "unknown" or key not in rest:
            continue
        value, of = rest.pop(key), attribute.metadata.get("of")
        values[attribute.name] = [told(of, one) for one in value] if of is not None else value
    return kind(**{**values, "unknown": rest})


def titled(title: str, *parts: str) -> str:
    return f"<div><b>{html.escape(title)}</b>{''.join(parts)}</div>"


def rows_of(objects: List[Any], *names: str) -> str:
    """A table of those attributes, without the columns that are empty in all rows."""
    shown = [name for name in names if any(getattr(one, name) not in (None, [], {}) for one in objects)]
    return html_tables.table([name.rstrip("_").replace("_", " ") for name in shown],
                             [[cell(name, getattr(one, name)) for name in shown] for one in objects])


def cell(name: str, value: Any) -> Any:
    """What a table shows of an attribute: times as clocks."""
    return html_tables.clock(value) if name in ("from_", "to") and isinstance(value, (int, float)) else value


@dataclass
class SlowRank:
    """A rank that holds its job back. `from_` and `to` are Unix seconds, `score` a share of its peers' time."""

    rank: Any = None
    verdict: str = ""
    cause: Optional[str] = None
    score: Optional[float] = None
    from_: Optional[float] = field("from")
    to: Optional[float] = None
    lost_seconds: Optional[float] = None
    evidence: List[Any] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Stragglers:
    """Which ranks hold the job back, found by `method`. `what_if` says how fast it would be without them."""

    job: str = ""
    method: str = ""
    verdict: str = ""
    ranks: List[SlowRank] = field(of=SlowRank)
    what_if: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        parts = [rows_of(self.ranks, "rank", "verdict", "cause", "score", "from_", "to", "lost_seconds",
                         "evidence")] if self.ranks else []
        if self.what_if:
            parts.append(f"<p>without them: {html.escape(html_tables.text_of(self.what_if))}</p>")
        return titled(f"{self.job}: {self.verdict} (by {self.method})", *parts)


@dataclass
class GpuBottleneck:
    """What bounds one GPU: its class most of the time, and the share of time of each class."""

    gpu: Any = None
    rank: Any = None
    class_: str = field("class", default="")
    share: Dict[str, float] = field(default=dict)
    evidence: List[Any] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Bottlenecks:
    """What bounds the GPUs of a job."""

    job: str = ""
    verdict: str = ""
    gpus: List[GpuBottleneck] = field(of=GpuBottleneck)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        return titled(f"{self.job}: {self.verdict}",
                      rows_of(self.gpus, "gpu", "rank", "class_", "share", "evidence"))


@dataclass
class RankMfu:
    """A rank's own share of its peak."""

    rank: Any = None
    mfu: Optional[float] = None
    tflops_per_gpu: Optional[float] = None
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Mfu:
    """The share of the dense peak that trained the model, by a convention of counting FLOPs."""

    job: str = ""
    mfu: Optional[float] = None
    tflops_per_gpu: Optional[float] = None
    tokens_per_second: Optional[float] = None
    convention: Optional[str] = None
    peak: Dict[str, Any] = field(default=dict)
    ranks: List[RankMfu] = field(of=RankMfu)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        share = "MFU unknown" if self.mfu is None else f"MFU {self.mfu:.1%}"
        return titled(f"{self.job}: {share}",
                      rows_of([self], "tflops_per_gpu", "tokens_per_second", "convention", "peak"),
                      rows_of(self.ranks, "rank", "mfu", "tflops_per_gpu") if self.ranks else "")


@dataclass
class Event:
    """Something that happened to a job, from `from_` to `to` in Unix seconds."""

    kind: str = ""
    from_: Optional[float] = field("from")
    to: Optional[float] = None
    step: Optional[int] = None
    ranks: List[Any] = field(default=list)
    evidence: List[Any] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Events:
    """What happened, in order of time. Iterates over the events."""

    events: List[Event] = field(of=Event)
    unknown: Dict[str, Any] = field(default=dict)

    def __iter__(self) -> Any:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def _repr_html_(self) -> str:
        return titled(f"{len(self.events)} events",
                      rows_of(self.events, "kind", "step", "from_", "to", "ranks", "evidence"))


class Training:
    """Questions about a job; `start` and `end` bound its time, by default all of it is looked at."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def stragglers(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None,
                   method: Optional[str] = None) -> Stragglers:
        """Which ranks hold the job back; `method` forces one, by default the best that the data allow."""
        return told(Stragglers, self.ask("stragglers", job=job, start=start, end=end, method=method))

    def bottlenecks(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None) -> Bottlenecks:
        """What bounds the GPUs of the job."""
        return told(Bottlenecks, self.ask("bottlenecks", job=job, start=start, end=end))

    def mfu(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None) -> Mfu:
        """The share of the bought FLOPs that trained the model."""
        return told(Mfu, self.ask("mfu", job=job, start=start, end=end))

    def events(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None) -> Events:
        """Spikes, hangs, leaks and the like."""
        return told(Events, self.ask("events", job=job, start=start, end=end))

    def ask(self, question: str, *, start: Optional[Moment] = None, end: Optional[Moment] = None,
            **parameters: Any) -> Any:
        """The "data" of any answer below /api/v1/training/, as the server gives it."""
        bounds = {name: times.text_of(times.unix_s(moment))
                  for name, moment in (("start", start), ("end", end)) if moment is not None}
        return self._ask(question, {**parameters, **bounds})
