"""The output of samplers: values of series at one moment."""

from __future__ import annotations

from typing import Iterable, Mapping, NamedTuple, Tuple

LabelPairs = Tuple[Tuple[str, str], ...]


class Sample(NamedTuple):
    """A value of a series with that name and labels; labels are sorted and exclude the name."""

    name: str
    labels: LabelPairs
    value: float


def pairs(labels: Mapping[str, str]) -> LabelPairs:
    """Labels in the form of samples; drops empty values."""
    return tuple(sorted((name, value) for name, value in labels.items() if value))


class Sampler:
    """Reads something on this machine. For one thread at a time."""

    def sample(self) -> Iterable[Sample]:
        """The current values. Skips what cannot be read, without raising."""
        raise NotImplementedError
