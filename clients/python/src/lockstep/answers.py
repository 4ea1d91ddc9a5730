"""Query results: scalars, vectors and matrices, as plain objects that convert to tables."""

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
    """A native histogram sample; `buckets` are (boundary rule, lower, upper, count) as in the API."""

    count: float
    sum: float
    buckets: Tuple[Tuple[int, float, float, float], ...] = ()


Value = Union[float, Histogram]


@dataclass
class Series:
    """One series: its labels, and values at ascending times in Unix seconds."""

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
    """Series with the server's warnings. Iterates over its series."""

    series: List[Series]
    warnings: List[str] = field(default_factory=list)
    infos: List[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Series]:
        return iter(self.series)

    def __len__(self) -> int:
        return len(self.series)

    def long(self) -> "pandas.DataFrame":
        """One row per sample: time (UTC), one column per label, value. Needs pandas."""
        from lockstep import frames
        return frames.long(self.series)

    def to_arrow(self) -> "pyarrow.Table":
        """The rows of `long` as an Arrow table, labels as dictionaries. Needs pyarrow."""
        from lockstep import arrow
        return arrow.table(self.series)


@dataclass
class Vector(Table):
    """The result of an instant query: series of one sample each."""

    def to_pandas(self) -> "pandas.DataFrame":
        """One row per series. Needs pandas."""
        return self.long()

    def values(self, *names: str) -> Dict[Any, Value]:
        """Values by the given labels: keyed by the value of one label, or a tuple of several."""
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
    """The result of a range query: series of many samples each."""

    def wide(self) -> "pandas.DataFrame":
        """One row per time (UTC), one column per series, named by the labels that differ.

        Needs pandas.
        """
        from lockstep import frames
        return frames.wide(self.series)

    def to_pandas(self) -> "pandas.DataFrame":
        """The same as `wide`. Needs pandas."""
        return self.wide()

    def by_step(self, steps: "Matrix") -> "pandas.DataFrame":
        """One row per training step, one column per series. Needs pandas.

        `steps` are step numbers at the same times, with the labels job and rank, and optionally run and
        attempt: `lockstep_step`. A series is matched with the steps of its job, rank, run and attempt. If
        it lacks run or attempt, its rank's newest attempt is used; without a rank, its job's first rank;
        without a job, the only job of all steps. Its value for a step is the one at the first time with
        the step's number.
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
    """The result of a query over training steps: `times_s` of its series are step numbers. Iterates over its series."""

    job: str
    series: List[Series]
    warnings: List[str] = field(default_factory=list)
    infos: List[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Series]:
        return iter(self.series)

    def __len__(self) -> int:
        return len(self.series)

    def to_pandas(self) -> "pandas.DataFrame":
        """One row per step, one column per series, named by the labels that differ. Needs pandas."""
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
    """The result in a response's "data". Raises KeyError or similar if malformed."""
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
