"""The Datadog agent's protobuf message MetricPayload, with only the standard library."""

import struct

from remote_write import length_delimited, varint


def message(series):
    """Encodes (metric, [(seconds, value), ...], tags, [(type, name of a resource), ...])."""
    return b"".join(length_delimited(1, one_series(*one)) for one in series)


def one_series(metric, points, tags, resources):
    gauge, interval_s = 3, 15
    return b"".join(
        (
            *(length_delimited(1, length_delimited(1, kind.encode()) + length_delimited(2, name.encode()))
              for kind, name in resources),
            length_delimited(2, metric.encode()),
            *(length_delimited(3, tag.encode()) for tag in tags),
            *(length_delimited(4, point(*one)) for one in points),
            varint(5 << 3) + varint(gauge),
            varint(8 << 3) + varint(interval_s),
        )
    )


def point(seconds, value):
    return varint(1 << 3 | 1) + struct.pack("<d", value) + varint(2 << 3) + varint(seconds)
