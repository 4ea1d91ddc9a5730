"""Remote write 2.0 requests, with only the standard library."""

from remote_write import double, length_delimited, snappy, varint

HEADERS = {
    "Content-Type": "application/x-protobuf;proto=io.prometheus.write.v2.Request",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "2.0.0",
}


def sample(time_ms, value):
    return length_delimited(2, b"\x09" + double(value) + b"\x10" + varint(time_ms))


def protobuf(series):
    """A Request of ({name: value}, [(time in ms, value), ...]) pairs."""
    symbols = {"": 0}

    def reference(text):
        return varint(symbols.setdefault(text, len(symbols)))

    encoded = b""
    for labels, samples in series:
        references = b"".join(reference(name) + reference(value)
                              for name, value in sorted(labels.items()))
        encoded += length_delimited(5, length_delimited(1, references) +
                                    b"".join(sample(*pair) for pair in samples))
    return b"".join(length_delimited(4, symbol.encode()) for symbol in symbols) + encoded


def body(series):
    return snappy(protobuf(series))
