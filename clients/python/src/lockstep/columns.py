"""The columns for the labels of several series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Sequence, Tuple

if TYPE_CHECKING:
    from lockstep.answers import Series

NOT_LABELS = ("time", "value")


def label_names(series: Sequence["Series"]) -> List[str]:
    """All label names, the metric's name first."""
    names = {name for one in series for name in one.labels}
    return sorted(names, key=lambda name: (name != "__name__", name))


def telling_names(series: Sequence["Series"]) -> List[str]:
    """The label names that distinguish the series: those whose values differ."""
    return [name for name in label_names(series)
            if len({one.labels.get(name, "") for one in series}) > 1]


def column_name(label: str) -> str:
    """The column for a label: its name, unless that is a reserved column name."""
    return f"label_{label}" if label in NOT_LABELS else label


def samples(series: Sequence["Series"]) -> Tuple[List[float], List[object], Dict[str, List[str]]]:
    """All samples in three columns: times in Unix seconds, values, labels by column name."""
    times = [time for one in series for time in one.times_s]
    values: List[object] = [value for one in series for value in one.values]
    labels = {column_name(name): [text for one in series
                                  for text in [one.labels.get(name, "")] * len(one.times_s)]
              for name in label_names(series)}
    return times, values, labels
