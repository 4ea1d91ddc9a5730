"""Series as pandas data frames."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

import pandas

from lockstep import columns
from lockstep.answers import Series


def utc(times_s: Sequence[float]) -> pandas.DatetimeIndex:
    """Unix seconds as times; milliseconds are exact, as they are on the server."""
    return pandas.to_datetime([round(time * 1000) for time in times_s], unit="ms", utc=True)


def long(series: Sequence[Series]) -> pandas.DataFrame:
    """A row for each sample: time, labels, value."""
    times, values, labels = columns.samples(series)
    texts = {name: pandas.Categorical(column) for name, column in labels.items()}
    return pandas.DataFrame({"time": utc(times), **texts, "value": values})


def wide(series: Sequence[Series]) -> pandas.DataFrame:
    """A row for each time, a column for each series."""
    if not series:
        return pandas.DataFrame(index=utc([]).rename("time"))
    frame = pandas.concat([pandas.Series(one.values, index=utc(one.times_s)) for one in series],
                          axis=1).sort_index()
    frame.columns = heading(series)
    return frame.rename_axis(index="time")


def by_step(series: Sequence[Series], steps: Sequence[Series]) -> pandas.DataFrame:
    """A row for each step, a column for each series; see answers.Matrix.by_step."""
    step_at = steps_by_owner(steps)
    found = [first_in_step(one, step_at.get(owner(one)) or {}) for one in series]
    numbers: pandas.Index[int] = pandas.Index(sorted({step for values in found for step in values}), dtype="int64", name="step")
    if not series:
        return pandas.DataFrame(index=numbers)
    frame = pandas.concat([pandas.Series(values, dtype=float).reindex(numbers) for values in found], axis=1)
    frame.columns = heading(series)
    return frame


def heading(series: Sequence[Series]) -> pandas.Index[Any]:
    """Column names: the labels that tell the series apart, or what a lone series is called."""
    names = columns.telling_names(series)
    if not names:
        return pandas.Index([str(one) for one in series])
    rows = [tuple(one.labels.get(name, "") for name in names) for one in series]
    if len(names) == 1:
        return pandas.Index([row[0] for row in rows], name=names[0])
    return pandas.MultiIndex.from_tuples(rows, names=names)


def owner(series: Series) -> Tuple[str, str]:
    return series.labels.get("job", ""), series.labels.get("rank", "")


def rank_order(rank: str) -> Tuple[bool, int, str]:
    return (not rank.isdigit(), int(rank) if rank.isdigit() else 0, rank)


def steps_by_owner(steps: Sequence[Series]) -> Dict[Tuple[str, str], Dict[float, int]]:
    """Step numbers by time for each (job, rank); for (job, "") those of the job's first rank."""
    found: Dict[Tuple[str, str], Dict[float, int]] = {}
    for one in sorted(steps, key=lambda one: rank_order(owner(one)[1])):
        job, rank = owner(one)
        numbers = {time: int(value) for time, value in zip(one.times_s, one.values)  # type: ignore[arg-type]
                   if value == value}
        found.setdefault((job, rank), {}).update(numbers)
        found.setdefault((job, ""), numbers)
    return found


def first_in_step(series: Series, step_at: Dict[float, int]) -> Dict[int, Any]:
    """The value at the first time of each step."""
    values: Dict[int, Any] = {}
    for time, value in zip(series.times_s, series.values):
        if time in step_at:
            values.setdefault(step_at[time], value)
    return values
