"""Remote read: requests and responses, with only the standard library."""

import struct

from remote_write import length_delimited, snappy, varint

PATH = "/api/v1/read"
HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Read-Version": "0.1.0",
}
SAMPLES, STREAMED_XOR_CHUNKS = 0, 1
MATCHER_TYPES = {"=": 0, "!=": 1, "=~": 2, "!~": 3}


def number(field, value):
    return varint(field << 3) + varint(value)


def body(queries, accepted=(STREAMED_XOR_CHUNKS, SAMPLES)):
    """A request for [(start in ms, end in ms, [(name, type, value), ...]), ...]."""
    content = b""
    for start_ms, end_ms, matchers in queries:
        query = number(1, start_ms) + number(2, end_ms)
        for name, kind, value in matchers:
            query += length_delimited(3, number(1, MATCHER_TYPES[kind]) +
                                      length_delimited(2, name.encode()) +
                                      length_delimited(3, value.encode()))
        content += length_delimited(1, query)
    return snappy(content + b"".join(number(2, kind) for kind in accepted))


def fields(message):
    """Yields (number, value) of a protobuf message; values are ints or bytes."""
    at = 0
    while at < len(message):
        tag, at = read_varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(message, at)
        elif kind == 1:
            value, at = message[at:at + 8], at + 8
        elif kind == 2:
            size, at = read_varint(message, at)
            value, at = message[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        yield tag >> 3, value


def read_varint(message, at):
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def labels_of(series):
    pairs = (dict(fields(value)) for field, value in series if field == 1)
    return {pair[1].decode(): pair[2].decode() for pair in pairs}


def crc32c(content):
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def frames(content):
    """The messages of a streamed response; raises ValueError if one is damaged."""
    at = 0
    while at < len(content):
        size, at = read_varint(content, at)
        (checksum,) = struct.unpack_from(">I", content, at)
        message = content[at + 4:at + 4 + size]
        if len(message) != size or crc32c(message) != checksum:
            raise ValueError(f"the frame at {at} is damaged")
        at += 4 + size
        yield message


def chunks(content):
    """[(query index, labels, [(min time, max time, encoding, data), ...]), ...]"""
    found = []
    for message in frames(content):
        parts = list(fields(message))
        index = next((value for field, value in parts if field == 2), 0)
        for field, value in parts:
            if field == 1:
                series = list(fields(value))
                pieces = [dict(fields(piece)) for number_, piece in series if number_ == 2]
                found.append((index, labels_of(series), [
                    (piece.get(1, 0), piece.get(2, 0), piece.get(3, 0), piece[4])
                    for piece in pieces]))
    return found


def unsnappy(block):
    """Decompresses a snappy block."""
    size, at = read_varint(block, 0)
    out = bytearray()
    while at < len(block):
        tag = block[at]
        at += 1
        if tag & 3 == 0:
            length = (tag >> 2) + 1
            if length > 60:
                width = length - 60
                length = int.from_bytes(block[at:at + width], "little") + 1
                at += width
            out += block[at:at + length]
            at += length
            continue
        if tag & 3 == 1:
            length, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | block[at]
            at += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(block[at:at + width], "little")
            at += width
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == size, (len(out), size)
    return bytes(out)


def samples(block):
    """[[(labels, [(time in ms, bits of the value), ...], [histogram message, ...]), ...] per query]"""
    results = []
    for field, result in fields(unsnappy(block)):
        assert field == 1
        rows = []
        for _, message in fields(result):
            series = list(fields(message))
            points = [dict(fields(value)) for number_, value in series if number_ == 2]
            rows.append((labels_of(series),
                         [(point.get(2, 0), point.get(1, b"\0" * 8)) for point in points],
                         [value for number_, value in series if number_ == 4]))
        results.append(rows)
    return results
