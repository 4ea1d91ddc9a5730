"""Remote write 1.0 requests, from nothing but the standard library."""

import struct

PATH = "/api/v1/write"
HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}
# The value that ends a series: a NaN whose payload a Python float does not keep everywhere.
STALE = struct.pack("<Q", 0x7FF0000000000002)

SNAPPY_LITERAL_OF_4_LENGTH_BYTES = 63 << 2


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


def sample(time_ms, value):
    bits = value if isinstance(value, bytes) else struct.pack("<d", value)
    return length_delimited(2, b"\x09" + bits + b"\x10" + varint(time_ms))


def protobuf(series):
    """A WriteRequest of ({name: value}, [(time in ms, value), ...]) pairs."""
    return b"".join(
        length_delimited(1, b"".join(label(*pair) for pair in sorted(labels.items())) +
                         b"".join(sample(*pair) for pair in samples))
        for labels, samples in series)


def snappy(content):
    """A snappy block that is one literal."""
    if not content:
        return b"\x00"
    return (varint(len(content)) + bytes([SNAPPY_LITERAL_OF_4_LENGTH_BYTES]) +
            struct.pack("<I", len(content) - 1) + content)


def body(series):
    return snappy(protobuf(series))
