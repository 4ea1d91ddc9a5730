"""Series as Arrow tables."""

from __future__ import annotations

from typing import Sequence

import pyarrow

from lockstep import columns
from lockstep.answers import Histogram, Series


def table(series: Sequence[Series]) -> pyarrow.Table:
    """One row per sample: time (ms, UTC), labels (dictionaries), value (double).

    Histograms have no column: their value is null.
    """
    times, values, labels = columns.samples(series)
    numbers = [None if isinstance(value, Histogram) else value for value in values]
    return pyarrow.table({
        "time": pyarrow.array([round(time * 1000) for time in times], pyarrow.timestamp("ms", "UTC")),
        **{name: pyarrow.array(column, pyarrow.string()).dictionary_encode()
           for name, column in labels.items()},
        "value": pyarrow.array(numbers, pyarrow.float64())})
