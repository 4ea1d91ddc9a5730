"""Jobs, how they spent their GPU time, and reports about them in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional

from lockstep.told import field, many
from lockstep.training_html import rows_of, sentences, shares, titled
from lockstep.training_verdicts import Bottlenecks, Events, Mfu, Stragglers


@dataclass
class Job:
    """A job: its time, ranks, GPUs and state. `verdict` is its worst problem, `sentence` explains it,
    `warnings` are sentences."""

    job: str = ""
    state: str = ""
    state_reason: str = ""
    state_since: Optional[float] = None
    verdict: str = ""
    also: List[str] = field(default=list)
    sentence: str = ""
    verdict_ranks: List[int] = field(default=list)
    verdict_confidence: Dict[str, Any] = field(default=dict)
    from_: Optional[float] = field("from")
    to: Optional[float] = None
    first_step: Optional[int] = None
    last_step: Optional[int] = None
    world_size: Optional[int] = None
    gpus: Optional[int] = None
    gpu_models: List[str] = field(default=list)
    hosts: List[str] = field(default=list)
    ranks: List[Dict[str, Any]] = field(default=list)
    attempts: List[Dict[str, Any]] = field(default=list)
    parallelism: Dict[str, Any] = field(default=dict)
    signals: Dict[str, bool] = field(default=dict)
    warnings: List[str] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        return titled(f"{self.job}: {self.state}", sentences([self.sentence]), table_of([self]), sentences(self.warnings))


@dataclass
class Jobs:
    """Jobs, latest first. Iterates over them; jobs can also be indexed by name."""

    jobs: List[Job] = many(Job)
    unknown: Dict[str, Any] = field(default=dict)

    def __iter__(self) -> Iterator[Job]:
        return iter(self.jobs)

    def __len__(self) -> int:
        return len(self.jobs)

    def __getitem__(self, name: str) -> Job:
        for job in self.jobs:
            if job.job == name:
                return job
        raise KeyError(name)

    def _repr_html_(self) -> str:
        return titled(f"{len(self.jobs)} jobs", table_of(self.jobs))


def table_of(jobs: List[Job]) -> str:
    return rows_of(jobs, "job", "state", "verdict", "from_", "to", "first_step", "last_step", "world_size", "gpus", "gpu_models",
                   "hosts", "warnings")


@dataclass
class Forecast:
    """When a running job will be done (`end`, or the reason why that is unknown), its cost, memory and checkpoints."""

    job: str = ""
    is_running: Optional[bool] = None
    as_of: Optional[float] = None
    end: Dict[str, Any] = field(default=dict)
    pace: Dict[str, Any] = field(default=dict)
    cost: Dict[str, Any] = field(default=dict)
    memory: Optional[Dict[str, Any]] = None
    checkpoints: Dict[str, Any] = field(default=dict)
    interruptions: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        left = self.end.get("seconds_left")
        heading = self.end.get("reason") or ("" if left is None else f"{left:.4g} s left")
        return titled(f"{self.job}: {heading}", rows_of([self], "end", "cost", "memory", "checkpoints", "interruptions"))


@dataclass
class Ledger:
    """The GPU time of a job, divided into `bins` that add up to `gpu_seconds`; `goodput` is the productive share."""

    job: str = ""
    wall_seconds: Optional[float] = None
    gpus: Optional[int] = None
    gpu_seconds: Optional[float] = None
    bins: Dict[str, float] = field(default=dict)
    wasted_gpu_seconds: Optional[float] = None
    goodput: Optional[float] = None
    ettr: Optional[float] = None
    attempts: Optional[int] = None
    cost: Optional[Dict[str, Any]] = None
    currency: Optional[str] = None
    energy: Optional[Dict[str, Any]] = None
    confidence: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        share = "" if self.goodput is None else f", goodput {self.goodput:.1%}"
        cost = "" if not self.cost else (f"{self.cost.get('total'):.4g} {self.currency or ''}".rstrip()
                                      + f" spent, {self.cost.get('wasted'):.4g} of it wasted")
        return titled(f"{self.job}: {self.gpu_seconds or 0:.4g} GPU-seconds{share}",
                      shares(self.bins, self.gpu_seconds), sentences([cost]),
                      rows_of([self], "wall_seconds", "gpus", "ettr", "attempts", "energy"))


@dataclass
class Report:
    """All answers about a job, with a summary in sentences."""

    job: str = ""
    words: List[str] = field(default=list)
    summary: Optional[Job] = field(of=Job)
    stragglers: Optional[Stragglers] = field(of=Stragglers)
    bottlenecks: Optional[Bottlenecks] = field(of=Bottlenecks)
    mfu: Optional[Mfu] = field(of=Mfu)
    ledger: Optional[Ledger] = field(of=Ledger)
    events: Optional[Events] = field(of=Events)
    unknown: Dict[str, Any] = field(default=dict)

    def _repr_html_(self) -> str:
        parts = (self.stragglers, self.bottlenecks, self.ledger, self.events)
        return titled(self.job, sentences(self.words), *(part._repr_html_() for part in parts if part is not None))
