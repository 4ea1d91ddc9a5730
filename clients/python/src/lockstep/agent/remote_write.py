"""Remote write 1.0: samples of many series as a protobuf message in a snappy block.

    WriteRequest  1: repeated TimeSeries
    TimeSeries    1: repeated Label      2: repeated Sample
    Label         1: name  2: value      Sample   1: double value  2: int64 time in ms

A snappy block may consist only of literals; this one does, which costs no CPU time.
"""

from __future__ import annotations

import struct
from typing import Dict, List, Tuple

from lockstep.agent.samples import LabelPairs, Sample

PATH = "/api/v1/write"
HEADERS = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy",
           "X-Prometheus-Remote-Write-Version": "0.1.0"}
LITERAL_OF_4_LENGTH_BYTES = 63 << 2
DOUBLE_OF_FIELD_1 = struct.Struct("<Bd")
SeriesKey = Tuple[str, LabelPairs]


def varint(number: int) -> bytes:
    """A protobuf varint of a nonnegative number."""
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def encode_labels(name: str, labels: LabelPairs) -> bytes:
    """The labels of a TimeSeries, sorted as receivers require."""
    return b"".join(field(1, field(1, label.encode()) + field(2, value.encode()))
                    for label, value in sorted((("__name__", name), *labels)))


def snappy(content: bytes) -> bytes:
    """A snappy block of one literal; content must not be empty."""
    return (varint(len(content)) + bytes([LITERAL_OF_4_LENGTH_BYTES]) + struct.pack("<I", len(content) - 1) +
            content)


class RequestBuilder:
    """Collects samples into requests. Caches the encoding of series.

    `common` are labels added to every series that lacks them.
    """

    def __init__(self, common: LabelPairs) -> None:
        self._common = dict(common)
        self._labels: Dict[SeriesKey, bytes] = {}
        self._samples: Dict[SeriesKey, List[bytes]] = {}

    def add(self, time_ms: int, sample: Sample) -> None:
        encoded = DOUBLE_OF_FIELD_1.pack(1 << 3 | 1, sample.value) + b"\x10" + varint(time_ms)
        self._samples.setdefault((sample.name, sample.labels), []).append(
            b"\x12" + varint(len(encoded)) + encoded)

    def take(self) -> bytes:
        """A body with everything added since the last call, or b"" if nothing was."""
        series = [field(1, self._labels_of(key) + b"".join(samples)) for key, samples in self._samples.items()]
        self._samples.clear()
        return snappy(b"".join(series)) if series else b""

    def _labels_of(self, key: SeriesKey) -> bytes:
        if key not in self._labels:
            name, labels = key
            self._labels[key] = encode_labels(name, tuple({**self._common, **dict(labels)}.items()))
        return self._labels[key]
