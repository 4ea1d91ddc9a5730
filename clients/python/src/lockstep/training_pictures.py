"""A job's metrics over time and steps: comparisons of runs, heat maps of ranks, single steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from lockstep.told import field, many
from lockstep.training_html import coloured, rows_of, titled

if TYPE_CHECKING:
    import pandas

Numbers = List[Optional[float]]


@dataclass
class ComparedRun:
    """A run in a comparison: `loss_gap` is its loss minus the first run's, at the same points."""

    run: str = ""
    step_seconds: Optional[float] = None
    speed: Optional[float] = None
    tokens_per_second: Optional[float] = None
    highest_memory_bytes: Optional[float] = None
    joules_per_step: Optional[float] = None
    joules_per_token: Optional[float] = None
    loss: Numbers = field(default=list)
    loss_gap: Numbers = field(default=list)
    last_gap: Optional[float] = None
    parts_at: Optional[float] = None
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class Comparison:
    """Runs at equal steps, tokens or seconds (`align`); `at` are the points of the curves."""

    align: str = ""
    at: List[float] = field(default=list)
    runs: List[ComparedRun] = many(ComparedRun)
    unknown: Dict[str, Any] = field(default=dict)

    def to_pandas(self, curve: str = "loss") -> "pandas.DataFrame":
        """The `loss` or `loss_gap` of the runs: one row per point, one column per run. Needs pandas."""
        import pandas
        return pandas.DataFrame({run.run: getattr(run, curve) for run in self.runs}, dtype=float,
                                index=pandas.Index(self.at, name=self.align))

    def _repr_html_(self) -> str:
        return titled(f"{len(self.runs)} runs, by {self.align}",
                      rows_of(self.runs, "run", "step_seconds", "speed", "tokens_per_second", "highest_memory_bytes",
                              "joules_per_step", "joules_per_token", "last_gap", "parts_at"))


@dataclass
class HeatMap:
    """A metric of every rank over time or steps. `min`, `max`, `last`, `mean` and `count` have one row per rank."""

    job: str = ""
    metric: str = ""
    unit: str = ""
    by: str = ""
    ranks: List[int] = field(default=list)
    bins: List[Dict[str, Any]] = field(default=list)
    min: List[Numbers] = field(default=list)
    max: List[Numbers] = field(default=list)
    last: List[Numbers] = field(default=list)
    mean: List[Numbers] = field(default=list)
    count: List[Numbers] = field(default=list)
    metrics: List[str] = field(default=list)
    unknown: Dict[str, Any] = field(default=dict)

    def to_pandas(self, value: str = "mean") -> "pandas.DataFrame":
        """One row per bin, by its first step or its begin (UTC), one column per rank. Needs pandas."""
        import pandas
        columns = {rank: numbers for rank, numbers in zip(self.ranks, getattr(self, value))}
        if self.by == "step":
            index = pandas.Index([one["first_step"] for one in self.bins], name="step")
        else:
            index = pandas.to_datetime([round(one["from"] * 1000) for one in self.bins], unit="ms",
                                       utc=True).rename("time")
        return pandas.DataFrame(columns, index=index, dtype=float).rename_axis(columns="rank")

    def _repr_html_(self) -> str:
        return titled(f"{self.job}: {self.metric} ({self.unit}) of every rank, by {self.by}",
                      coloured(self.ranks, self.mean))


@dataclass
class AttemptSteps:
    """The steps of one attempt. `behind_seconds`: each step's end minus its end at the median pace."""

    attempt: int = 0
    first_step: Optional[int] = None
    last_step: Optional[int] = None
    step: List[int] = field(default=list)
    end: Numbers = field(default=list)
    step_seconds: Numbers = field(default=list)
    behind_seconds: Numbers = field(default=list)
    pacing: Dict[str, Any] = field(default=dict)
    unknown: Dict[str, Any] = field(default=dict)


@dataclass
class StepHistory:
    """When each step ended, by attempt."""

    job: str = ""
    attempts: List[AttemptSteps] = many(AttemptSteps)
    unknown: Dict[str, Any] = field(default=dict)

    def to_pandas(self) -> "pandas.DataFrame":
        """One row per step, by attempt and step: end (UTC), seconds, seconds behind the median pace. Needs pandas."""
        import pandas
        parts = [pandas.DataFrame({"attempt": one.attempt, "step": one.step,
                                   "end": pandas.to_datetime(one.end, unit="s", utc=True),
                                   "step_seconds": one.step_seconds, "behind_seconds": one.behind_seconds})
                 for one in self.attempts]
        whole = pandas.concat(parts) if parts else pandas.DataFrame(columns=["attempt", "step"])
        return whole.set_index(["attempt", "step"])

    def _repr_html_(self) -> str:
        return titled(f"{self.job}: {len(self.attempts)} attempts",
                      rows_of(self.attempts, "attempt", "first_step", "last_step", "pacing"))
