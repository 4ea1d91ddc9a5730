"""HTTP/2 frame by frame, for tests that send what no library would: gRPC calls of OTLP's metrics
service.
"""

import re
import socket

EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
WITHIN_S = 60
# Frames, flags and errors. Source: RFC 9113, 6 and 7.
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, END_HEADERS = 1, 4
NO_ERROR, COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 0, 9, 11
# A setting that makes the server's fields independent of earlier ones. Source: RFC 9113, 6.5.2.
NO_TABLE = b"\0\1" + bytes(4)
# The name as a literal, in Huffman code, then the number with its length. Source: RFC 7541, 5.2 and
# B.
GRPC_STATUS = re.compile(rb"\x88\x9a\xca\xc8\xb2\x12\x34\xda\x8f[\x01\x02](\d+)")


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(name, value):
    """A field without indexing. Both texts must be shorter than 127 bytes."""
    return b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in (name, value))


def call_head(fields=None, scheme="http"):
    """The header block of a call."""
    head = {":method": "POST", ":scheme": scheme, ":path": EXPORT, ":authority": "test",
            "content-type": "application/grpc", "te": "trailers", **(fields or {})}
    return b"".join(literal(name, value) for name, value in head.items())


def whole_call(stream, message=b"", fields=None, scheme="http"):
    """The frames of a call."""
    return (frame(HEADERS, END_HEADERS, stream, call_head(fields, scheme)) +
            frame(DATA, END_STREAM, stream, b"\0" + len(message).to_bytes(4, "big") + message))


class Client:
    """A connection to HOST:PORT; `tls` is an ssl.SSLContext, `source` the client's address."""

    def __init__(self, address, tls=None, source=None):
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), WITHIN_S, source and (source, 0))
        if tls is not None:
            tls.set_alpn_protocols(["h2"])
            self.socket = tls.wrap_socket(self.socket, server_hostname=host)
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0, NO_TABLE))
        self._received = b""

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, frames):
        """Returns False once the server has closed the connection."""
        try:
            self.socket.sendall(frames)
        except OSError:
            return False
        return True

    def status(self):
        """The status of the next call that ends."""
        while (found := GRPC_STATUS.search(self._received)) is None:
            piece = self.socket.recv(65536)
            if not piece:
                raise AssertionError(f"no status: {self._received}")
            self._received += piece
        self._received = self._received[found.end():]
        return int(found[1])

    def error_at_end(self):
        """The error of the last GOAWAY before the server closes; None if there is none."""
        try:
            while piece := self.socket.recv(65536):
                self._received += piece
        except ConnectionError:
            pass
        error, at = None, 0
        while at + 9 <= len(self._received):
            size, kind = int.from_bytes(self._received[at:at + 3], "big"), self._received[at + 3]
            if kind == GOAWAY:
                error = int.from_bytes(self._received[at + 13:at + 17], "big")
            at += 9 + size
        return error
