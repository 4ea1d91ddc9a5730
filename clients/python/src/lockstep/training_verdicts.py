"""Verdicts about a job: stragglers, bottlenecks, MFU and events.

Times are Unix seconds, shares 0..1, and unknown values are None. Values for which this version has no attribute are
in `unknown`, under the server's names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional

from lockstep import html_tables
from lockstep.told import field, many
from lockstep.training_html import rows_of, sentences, titled


@dataclass
class SlowRank:
    """A rank that holds its job back. `score` is its lateness as a share of a step."""

    rank: Any = None
    host: str = ""
    gpu: str = ""
    verdict: str = ""
    cause: Optional[str] = None
    gpu_reason: Optional[str] = None
    score: Optional[float] = None
    persistence: Optional[float] = None
    from_: Optional[float] = field("from")
    to: Optional[float] = None
    first_step: Optional[int] = None
    last_step: Optional[int] = None
    is_open: Optional[bool] = None
    lost_seconds: Optional[float] = None
    evidence: List[Any] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Stragglers:
    """The ranks that hold the job back, found by `method`. `what_if` is its speed without them."""

    job: str = ""
    method: str = ""
    verdict: str = ""
    ranks: List[SlowRank] = many(SlowRank)
    what_if: Optional[Dict[str, Any]] = field(default=dict)
    lost_seconds: Optional[float] = None
    lost_gpu_seconds: Optional[float] = None
    lost_cost: Optional[float] = None
    currency: Optional[str] = None
    is_running: Optional[bool] = None
    frontier_step: Optional[int] = None
    not_reporting: List[Any] = field(default=list)
    missing: List[str] = field(default=list)
    confidence: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        parts = [rows_of(self.ranks, "rank", "host", "gpu", "verdict", "cause", "score", "from_", "to", "first_step",
                         "last_step", "lost_seconds", "evidence")] if self.ranks else []
        if self.ranks and self.what_if:
            parts.append(sentences([f"without them: {html_tables.text_of(self.what_if)}"]))
        if self.lost_cost is not None:
            parts.append(sentences([f"cost: {self.lost_cost:.4g} {self.currency or ''}".rstrip()]))
        if self.missing:
            parts.append(sentences([f"missing for a better answer: {', '.join(self.missing)}"]))
        return titled(f"{self.job}: {self.verdict} (by {self.method})", *parts)


@dataclass
class GpuBottleneck:
    """What bounds one GPU: its most frequent class, and each class's share of time."""

    gpu: Any = None
    rank: Any = None
    host: str = ""
    class_: str = field("class", default="")
    host_cause: str = ""
    margin: Optional[float] = None
    share: Dict[str, float] = field(default=dict)
    evidence: List[Any] = field(default=list)
    flags: List[Any] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)

    @property
    def shares(self) -> Dict[str, float]:
        """All classes that it has had."""
        return {name: value for name, value in self.share.items() if value}

    @property
    def flagged(self) -> List[str]:
        return [one.get("flag", "") for one in self.flags]


@dataclass
class Bottlenecks:
    """What bounds the GPUs of a job."""

    job: str = ""
    verdict: str = ""
    host_cause: str = ""
    advice: str = ""
    gpus: List[GpuBottleneck] = many(GpuBottleneck)
    missing: List[str] = field(default=list)
    confidence: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        return titled(f"{self.job}: {self.verdict}", sentences([self.advice]),
                      rows_of(self.gpus, "gpu", "rank", "host", "class_", "shares", "flagged", "evidence"))


@dataclass
class RankMfu:
    """A rank's MFU."""

    rank: Any = None
    host: str = ""
    gpu: str = ""
    mfu: Optional[float] = None
    tflops_per_gpu: Optional[float] = None
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Mfu:
    """The share of the dense peak that trained the model, by a FLOPs counting convention. `reason` says why it is unknown."""

    job: str = ""
    mfu: Optional[float] = None
    hfu: Optional[float] = None
    mbu: Optional[float] = None
    tflops_per_gpu: Optional[float] = None
    step_seconds: Optional[float] = None
    tokens_per_second: Optional[float] = None
    samples_per_second: Optional[float] = None
    eta_seconds: Optional[float] = None
    convention: Optional[str] = None
    peak: Optional[Dict[str, Any]] = field(default=dict)
    reason: str = ""
    ranks: List[RankMfu] = many(RankMfu)
    confidence: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        share = "MFU unknown" if self.mfu is None else f"MFU {self.mfu:.1%}"
        return titled(f"{self.job}: {share}", sentences([self.reason]),
                      rows_of([self], "hfu", "mbu", "tflops_per_gpu", "step_seconds", "tokens_per_second",
                              "samples_per_second", "convention", "peak"),
                      rows_of(self.ranks, "rank", "host", "gpu", "mfu", "tflops_per_gpu") if self.ranks else "")


@dataclass
class Event:
    """An event in a job."""

    kind: str = ""
    from_: Optional[float] = field("from")
    to: Optional[float] = None
    step: Optional[int] = None
    ranks: List[Any] = field(default=list)
    evidence: List[Any] = field(default=list)
    words: str = ""
    annotation: Optional[Dict[str, Any]] = None  # of the kind "annotation"
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Events:
    """Events in order of time. Iterates over them."""

    events: List[Event] = many(Event)
    confidence: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def _repr_html_(self) -> str:
        return titled(f"{len(self.events)} events",
                      rows_of(self.events, "kind", "step", "from_", "to", "ranks", "words", "evidence"))
