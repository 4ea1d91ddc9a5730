"""What queries answer: scalars, vectors and matrices, as plain objects that become tables on request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Tuple, Union

from lockstep import columns, html_tables

if TYPE_CHECKING:
    import pandas
    import pyarrow

Labels = Dict[str, str]


@dataclass(frozen=True)
class Histogram:
    """A native histogram sample; `buckets` are (boundary rule, lower, upper, count) as the API has them."""

    count: float
    sum: float
    buckets: Tuple[Tuple[int, float, float, float], ...] = ()


Value = Union[float, Histogram]


@dataclass
class Series:
    """One series: its labels, and values at times in Unix seconds, which ascend."""

    labels: Labels
    times_s: List[float]
    values: List[Value]

    @property
    def name(self) -> str:
        return self.labels.get("__name__", "")

    def __str__(self) -> str:
        inside = ",".join(f'{name}="{value}"' for name, value in sorted(self.labels.items())
                          if name != "__name__")
        return f"{self.name}{{{inside}}}" if inside or not self.name else self.name


@dataclass
class Scalar:
    """A number, or the text of a string literal, at a time in Unix seconds."""

    time_s: float
    value: Union[float, str]


@dataclass
class Table:
    """Series with what the server said beside them. Iterates over its series."""

    series: List[Series]
    warnings: List[str] = field(default_factory=list)
    infos: List[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Series]:
        return iter(self.series)

    def __len__(self) -> int:
        return len(self.series)

    def long(self) -> "pandas.DataFrame":
        """A row for each sample: time (UTC), a column for each label, value. Needs pandas."""
        from lockstep import frames
        return frames.long(self.series)

    def to_arrow(self) -> "pyarrow.Table":
        """The rows of `long` as an Arrow table, labels as dictionaries. Needs pyarrow."""
        from lockstep import arrow
        return arrow.table(self.series)


@dataclass
class Vector(Table):
    """The answer of an instant query: series of one sample each."""

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each series. Needs pandas."""
        return self.long()

    def values(self, *names: str) -> Dict[Any, Value]:
        """Values by the labels of those names: by the value of one, or a tuple of several."""
        keys = ([series.labels.get(name, "") for name in names] for series in self.series)
        return {key[0] if len(key) == 1 else tuple(key): series.values[0]
                for key, series in zip(keys, self.series)}

    def _repr_html_(self) -> str:
        names = columns.label_names(self.series)
        rows = [[*(series.labels.get(name, "") for name in names), series.values[0]]
                for series in self.series]
        return html_tables.table([*names, "value"], rows, f"{len(rows)} series")


@dataclass
class Matrix(Table):
    """The answer of a range query: series of many samples each."""

    def wide(self) -> "pandas.DataFrame":
        """A row for each time (UTC), a column for each series, named by the labels that differ.

        Needs pandas.
        """
        from lockstep import frames
        return frames.wide(self.series)

    def to_pandas(self) -> "pandas.DataFrame":
        """As `wide`. Needs pandas."""
        return self.wide()

    def by_step(self, steps: "Matrix") -> "pandas.DataFrame":
        """A row for each training step, a column for each series. Needs pandas.

        `steps` are step numbers over the same times, with the labels job and rank, and maybe run and
        attempt: `lockstep_step`. A series is matched with the steps of its job, rank, run and attempt;
        if it does not say the last two with its rank's newest attempt, and without a rank with its
        job's first; without a job with the one that all steps are of. Its value for a step is the
        one at the first time that has the step's number.
        """
        from lockstep import frames
        return frames.by_step(self.series, steps.series)

    def _repr_html_(self) -> str:
        names = columns.label_names(self.series)
        rows = [[*(series.labels.get(name, "") for name in names), len(series.values),
                 html_tables.clock(series.times_s[0]), html_tables.clock(series.times_s[-1]),
                 series.values[-1]]
                for series in self.series]
        return html_tables.table([*names, "samples", "from", "to", "last"], rows, f"{len(rows)} series")


@dataclass
class StepMatrix:
    """The answer of a query over training steps: `times_s` of its series are step numbers. Iterates over its series."""

    job: str
    series: List[Series]
    warnings: List[str] = field(default_factory=list)
    infos: List[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Series]:
        return iter(self.series)

    def __len__(self) -> int:
        return len(self.series)

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each step, a column for each series, named by the labels that differ. Needs pandas."""
        from lockstep import frames
        return frames.over_steps(self.series)

    def _repr_html_(self) -> str:
        names = columns.label_names(self.series)
        rows = [[*(series.labels.get(name, "") for name in names), int(series.times_s[0]), int(series.times_s[-1]),
                 series.values[-1]]
                for series in self.series]
        return html_tables.table([*names, "first step", "last step", "last"], rows, f"{self.job}: {len(rows)} series")


Answer = Union[Scalar, Vector, Matrix]


def parsed(told: Mapping[str, Any], warnings: List[str], infos: List[str]) -> Answer:
    """The answer in a response's "data". Raises KeyError and the like for what is none."""
    kind, result = told["resultType"], told["result"]
    if kind == "vector":
        return Vector([series_of(row) for row in result], warnings, infos)
    if kind == "matrix":
        return Matrix([series_of(row) for row in result], warnings, infos)
    return Scalar(float(result[0]), result[1] if kind == "string" else float(result[1]))


def series_of(row: Mapping[str, Any]) -> Series:
    """A row of a vector or a matrix."""
    floats = row.get("values") or ([row["value"]] if "value" in row else [])
    histograms = row.get("histograms") or ([row["histogram"]] if "histogram" in row else [])
    samples: List[Tuple[float, Value]] = [(float(time), float(text)) for time, text in floats]
    if histograms:
        samples += [(float(time), histogram_of(told)) for time, told in histograms]
        samples.sort(key=lambda sample: sample[0])
    return Series(row["metric"], [time for time, _ in samples], [value for _, value in samples])


def histogram_of(told: Mapping[str, Any]) -> Histogram:
    buckets = tuple((int(rule), float(low), float(high), float(count))
                    for rule, low, high, count in told.get("buckets", ()))
    return Histogram(float(told["count"]), float(told["sum"]), buckets)
