"""What a sampler gives: values of series at one moment."""

from __future__ import annotations

from typing import Iterable, Mapping, NamedTuple, Tuple

LabelPairs = Tuple[Tuple[str, str], ...]


class Sample(NamedTuple):
    """A value of the series of that name and labels; labels are sorted and without the name."""

    name: str
    labels: LabelPairs
    value: float


def pairs(labels: Mapping[str, str]) -> LabelPairs:
    """Labels as samples have them; empty values are no labels."""
    return tuple(sorted((name, value) for name, value in labels.items() if value))


class Sampler:
    """Reads something on this machine. For one thread at a time."""

    def sample(self) -> Iterable[Sample]:
        """The values now. What cannot be read is left out; raises nothing for it."""
        raise NotImplementedError
