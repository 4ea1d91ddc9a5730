"""Training answers: lockstep's analyses of jobs, as objects with notebook output."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Union

from lockstep import times
from lockstep.times import Moment
from lockstep.told import told
from lockstep.training_jobs import Forecast, Jobs, Ledger, Report
from lockstep.training_pictures import Comparison, HeatMap, StepHistory
from lockstep.training_verdicts import Bottlenecks, Events, Mfu, Stragglers

Ask = Callable[[str, Dict[str, Any]], Any]


class Training:
    """Queries about a job; `start` and `end` limit the time range, by default the whole job.

    Further parameters, listed in docs/training-api.md, are passed by name.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def jobs(self, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Jobs:
        """The jobs, by default of the last 30 days."""
        return told(Jobs, self.ask("jobs", start=start, end=end, **more))

    def stragglers(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None,
                   method: Optional[str] = None, **more: Any) -> Stragglers:
        """The ranks that hold the job back; `method` selects one, by default the best that the data allow."""
        return told(Stragglers, self.ask("stragglers", job=job, start=start, end=end, method=method, **more))

    def bottlenecks(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Bottlenecks:
        """What bounds the job's GPUs."""
        return told(Bottlenecks, self.ask("bottlenecks", job=job, start=start, end=end, **more))

    def mfu(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Mfu:
        """The share of the peak FLOPs that trained the model."""
        return told(Mfu, self.ask("mfu", job=job, start=start, end=end, **more))

    def ledger(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None,
               price: Union[float, str, None] = None, **more: Any) -> Ledger:
        """How the GPU time was spent; `price` is per GPU-hour."""
        return told(Ledger, self.ask("ledger", job=job, start=start, end=end, price=price, **more))

    def forecast(self, job: str, total_steps: Optional[float] = None, total_tokens: Optional[float] = None,
                 price: Union[float, str, None] = None, **more: Any) -> Forecast:
        """When the job will be done and what it will have cost; `price` is per GPU-hour."""
        return told(Forecast, self.ask("forecast", job=job, total_steps=total_steps, total_tokens=total_tokens, price=price,
                                       **more))

    def events(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Events:
        """Spikes, hangs, leaks and similar events."""
        return told(Events, self.ask("events", job=job, start=start, end=end, **more))

    def compare(self, runs: Sequence[str], align: Optional[str] = None, **more: Any) -> Comparison:
        """Compares jobs at equal steps, tokens or time; the first is the baseline."""
        return told(Comparison, self.ask("compare", runs=",".join(runs), align=align, **more))

    def heatmap(self, job: str, metric: str, by: Optional[str] = None, **more: Any) -> HeatMap:
        """A metric of every rank over time or steps."""
        return told(HeatMap, self.ask("heatmap", job=job, metric=metric, by=by, **more))

    def steps(self, job: str, **more: Any) -> StepHistory:
        """When each step ended."""
        return told(StepHistory, self.ask("steps", job=job, **more))

    def report(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Report:
        """Everything about a job, with a summary in sentences."""
        return told(Report, self.ask("report", job=job, start=start, end=end, **more))

    def ask(self, question: str, *, start: Optional[Moment] = None, end: Optional[Moment] = None,
            **parameters: Any) -> Any:
        """The "data" of any response below /api/v1/training/, unchanged."""
        bounds = {name: times.text_of(times.unix_s(moment))
                  for name, moment in (("start", start), ("end", end)) if moment is not None}
        return self._ask(question, {**parameters, **bounds})
