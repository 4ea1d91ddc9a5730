"""Series as pandas data frames."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Sequence, Tuple

import pandas

from lockstep import columns
from lockstep.answers import Series


def utc(times_s: Sequence[float]) -> pandas.DatetimeIndex:
    """Unix seconds as times, exact to the millisecond as on the server."""
    return pandas.to_datetime([round(time * 1000) for time in times_s], unit="ms", utc=True)


def long(series: Sequence[Series]) -> pandas.DataFrame:
    """One row per sample: time, labels, value."""
    times, values, labels = columns.samples(series)
    texts = {name: pandas.Categorical(column) for name, column in labels.items()}
    return pandas.DataFrame({"time": utc(times), **texts, "value": values})


def wide(series: Sequence[Series]) -> pandas.DataFrame:
    """One row per time, one column per series."""
    if not series:
        return pandas.DataFrame(index=utc([]).rename("time"))
    frame = pandas.concat([pandas.Series(one.values, index=utc(one.times_s)) for one in series],
                          axis=1).sort_index()
    frame.columns = heading(series)
    return frame.rename_axis(index="time")


def over_steps(series: Sequence[Series]) -> pandas.DataFrame:
    """One row per step, one column per series whose times are steps."""
    if not series:
        return pandas.DataFrame(index=pandas.Index([], dtype="int64", name="step"))
    frame = pandas.concat([pandas.Series(one.values, index=pandas.Index(one.times_s, dtype="int64")) for one in series],
                          axis=1).sort_index()
    frame.columns = heading(series)
    return frame.rename_axis(index="step")


def by_step(series: Sequence[Series], steps: Sequence[Series]) -> pandas.DataFrame:
    """One row per step, one column per series; see answers.Matrix.by_step."""
    step_at = steps_by_owner(steps)
    found = [first_in_step(one, steps_of(one, step_at)) for one in series]
    numbers: pandas.Index[int] = pandas.Index(sorted({step for values in found for step in values}), dtype="int64", name="step")
    if not series:
        return pandas.DataFrame(index=numbers)
    frame = pandas.concat([pandas.Series(values, dtype=float).reindex(numbers) for values in found], axis=1)
    frame.columns = heading(series)
    return frame


def heading(series: Sequence[Series]) -> pandas.Index[Any]:
    """Column names: the labels that distinguish the series, or the name of a single series."""
    names = columns.telling_names(series)
    if not names:
        return pandas.Index([str(one) for one in series])
    rows = [tuple(one.labels.get(name, "") for name in names) for one in series]
    if len(names) == 1:
        return pandas.Index([row[0] for row in rows], name=names[0])
    return pandas.MultiIndex.from_tuples(rows, names=names)


class Owner(NamedTuple):
    """The owner of a series; "" for missing labels."""

    job: str
    rank: str
    run: str = ""
    attempt: str = ""


def owner(series: Series) -> Owner:
    return Owner(*(series.labels.get(name, "") for name in Owner._fields))


def order(name: str) -> Tuple[bool, int, str]:
    """Sorts numbers by value, before other names."""
    return (not name.isdigit(), int(name) if name.isdigit() else 0, name)


def steps_by_owner(steps: Sequence[Series]) -> Dict[Owner, Dict[float, int]]:
    """Step numbers by time, for each owner.

    For a rank without run and attempt, the newest attempt's; for a job without a rank, its first
    rank's. If all steps belong to one job, they also apply to series without a job.
    """
    found: Dict[Owner, Dict[float, int]] = {}
    first_rank: Dict[str, str] = {}
    for one in sorted(steps, key=lambda one: (order(owner(one).rank), order(owner(one).attempt))):
        whose = owner(one)
        numbers = {time: int(value) for time, value in zip(one.times_s, one.values)  # type: ignore[arg-type]
                   if value == value}
        for key in {whose, Owner(whose.job, whose.rank)}:
            found.setdefault(key, {}).update(numbers)
        if first_rank.setdefault(whose.job, whose.rank) == whose.rank:
            found.setdefault(Owner(whose.job, ""), {}).update(numbers)
    if len(first_rank) == 1:
        found.update({whose._replace(job=""): numbers for whose, numbers in found.items()})
    return found


def steps_of(series: Series, step_at: Dict[Owner, Dict[float, int]]) -> Dict[float, int]:
    """The steps of the series' owner, as specific as its labels."""
    whose = owner(series)
    return step_at.get(whose) or step_at.get(Owner(whose.job, whose.rank)) or {}


def first_in_step(series: Series, step_at: Dict[float, int]) -> Dict[int, Any]:
    """The value at the first time of each step."""
    values: Dict[int, Any] = {}
    for time, value in zip(series.times_s, series.values):
        if time in step_at:
            values.setdefault(step_at[time], value)
    return values
