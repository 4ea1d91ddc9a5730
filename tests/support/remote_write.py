"""Remote write 1.0 requests, with only the standard library."""

import struct
from dataclasses import dataclass, field

PATH = "/api/v1/write"
HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}
# The staleness marker: a NaN whose payload Python does not preserve everywhere.
STALE = struct.pack("<Q", 0x7FF0000000000002)

SNAPPY_LITERAL_OF_4_LENGTH_BYTES = 63 << 2


@dataclass
class Histogram:
    """A native histogram: schema -53 has the upper bounds `custom_bounds`, others powers of two.

    `positive` and `negative` are populations by bucket index. With `floats`, populations may be
    fractions.
    """

    schema: int = 0
    sum: float | bytes = 0.0
    count: float = 0
    zero_threshold: float = 0.0
    zero_count: float = 0
    positive: dict = field(default_factory=dict)
    negative: dict = field(default_factory=dict)
    custom_bounds: tuple = ()
    floats: bool = False
    gauge: bool = False


def varint(number):
    """A protobuf varint; negative numbers as 64-bit two's complement."""
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def length_delimited(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def label(name, value):
    return length_delimited(1, length_delimited(1, name.encode()) +
                            length_delimited(2, value.encode()))


def double(value):
    return value if isinstance(value, bytes) else struct.pack("<d", value)


def sample(time_ms, value):
    if isinstance(value, Histogram):
        return length_delimited(4, histogram(time_ms, value))
    return length_delimited(2, b"\x09" + double(value) + b"\x10" + varint(time_ms))


def zigzag(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def double_field(number, value):
    return varint(number << 3 | 1) + double(value)


def varint_field(number, value):
    return varint(number << 3) + varint(value)


def spans(field_number, indexes):
    """BucketSpans of sorted bucket indexes."""
    runs = []
    end = 0
    for index in indexes:
        if not runs or index != end:
            runs.append([index - end, 0])
        runs[-1][1] += 1
        end = index + 1
    return b"".join(length_delimited(field_number, b"\x08" + zigzag(offset) + b"\x10" + varint(length))
                    for offset, length in runs)


def populations(first_field, buckets, floats):
    """Spans in `first_field`, then integer deltas or absolute floats in the two fields after it."""
    indexes = sorted(buckets)
    encoded = spans(first_field, indexes)
    if floats:
        return encoded + length_delimited(first_field + 2, b"".join(double(buckets[i]) for i in indexes))
    before = [0] + [buckets[i] for i in indexes]
    deltas = b"".join(zigzag(b - a) for a, b in zip(before, before[1:]))
    return encoded + length_delimited(first_field + 1, deltas)


def histogram(time_ms, value):
    """prompb.Histogram."""
    count = double_field(2, value.count) if value.floats else varint_field(1, value.count)
    zero_count = double_field(7, value.zero_count) if value.floats else varint_field(6, value.zero_count)
    encoded = (count + double_field(3, value.sum) + b"\x20" + zigzag(value.schema) +
               double_field(5, value.zero_threshold) + zero_count)
    if value.negative:
        encoded += populations(8, value.negative, value.floats)
    if value.positive:
        encoded += populations(11, value.positive, value.floats)
    encoded += varint_field(14, 3 if value.gauge else 0) + varint_field(15, time_ms)
    if value.custom_bounds:
        encoded += length_delimited(16, b"".join(map(double, value.custom_bounds)))
    return encoded


def protobuf(series):
    """A WriteRequest of ({name: value}, [(time in ms, value), ...]) pairs."""
    return b"".join(
        length_delimited(1, b"".join(label(*pair) for pair in sorted(labels.items())) +
                         b"".join(sample(*pair) for pair in samples))
        for labels, samples in series)


def snappy(content):
    """A snappy block that is a single literal."""
    if not content:
        return b"\x00"
    return (varint(len(content)) + bytes([SNAPPY_LITERAL_OF_4_LENGTH_BYTES]) +
            struct.pack("<I", len(content) - 1) + content)


def body(series):
    return snappy(protobuf(series))
