"""Training answers: what lockstep says of jobs, as objects that show themselves in a notebook."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Union

from lockstep import times
from lockstep.times import Moment
from lockstep.told import told
from lockstep.training_jobs import Jobs, Ledger, Report
from lockstep.training_pictures import Comparison, HeatMap, StepHistory
from lockstep.training_verdicts import Bottlenecks, Events, Mfu, Stragglers

Ask = Callable[[str, Dict[str, Any]], Any]


class Training:
    """Questions about a job; `start` and `end` bound its time, by default all of it is looked at.

    More parameters than these, as docs/training-api.md has them, go by their names.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def jobs(self, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Jobs:
        """Which jobs there are, by default in the last 30 days."""
        return told(Jobs, self.ask("jobs", start=start, end=end, **more))

    def stragglers(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None,
                   method: Optional[str] = None, **more: Any) -> Stragglers:
        """Which ranks hold the job back; `method` forces one, by default the best that the data allow."""
        return told(Stragglers, self.ask("stragglers", job=job, start=start, end=end, method=method, **more))

    def bottlenecks(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Bottlenecks:
        """What bounds the GPUs of the job."""
        return told(Bottlenecks, self.ask("bottlenecks", job=job, start=start, end=end, **more))

    def mfu(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Mfu:
        """The share of the bought FLOPs that trained the model."""
        return told(Mfu, self.ask("mfu", job=job, start=start, end=end, **more))

    def ledger(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None,
               price: Union[float, str, None] = None, **more: Any) -> Ledger:
        """Where every GPU-second went; `price` is that of a GPU-hour."""
        return told(Ledger, self.ask("ledger", job=job, start=start, end=end, price=price, **more))

    def events(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Events:
        """Spikes, hangs, leaks and the like."""
        return told(Events, self.ask("events", job=job, start=start, end=end, **more))

    def compare(self, runs: Sequence[str], align: Optional[str] = None, **more: Any) -> Comparison:
        """Jobs beside each other at equal steps, tokens or time; the first is what the others are held against."""
        return told(Comparison, self.ask("compare", runs=",".join(runs), align=align, **more))

    def heatmap(self, job: str, metric: str, by: Optional[str] = None, **more: Any) -> HeatMap:
        """One number of every rank over time or steps."""
        return told(HeatMap, self.ask("heatmap", job=job, metric=metric, by=by, **more))

    def steps(self, job: str, **more: Any) -> StepHistory:
        """When each step ended."""
        return told(StepHistory, self.ask("steps", job=job, **more))

    def report(self, job: str, start: Optional[Moment] = None, end: Optional[Moment] = None, **more: Any) -> Report:
        """Everything about a job, and in sentences."""
        return told(Report, self.ask("report", job=job, start=start, end=end, **more))

    def ask(self, question: str, *, start: Optional[Moment] = None, end: Optional[Moment] = None,
            **parameters: Any) -> Any:
        """The "data" of any answer below /api/v1/training/, as the server gives it."""
        bounds = {name: times.text_of(times.unix_s(moment))
                  for name, moment in (("start", start), ("end", end)) if moment is not None}
        return self._ask(question, {**parameters, **bounds})
