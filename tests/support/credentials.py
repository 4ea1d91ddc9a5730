"""Credentials for tests: tokens, the web configuration that names them, and gRPC calls with them."""

import contextlib
import hashlib
import re
import socket

import programs

ROLES = ("read", "write", "push", "rules", "metrics", "admin")
# One of no token.
WRONG = "no-such-token"
# No role at all.
IDLE = "idle"
EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
WITHIN_S = 60
# Of HTTP/2. Source: RFC 9113, 6.
DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS = 1, 4
# The name as a literal, in Huffman's code, then the number and its length. Source: RFC 7541, 5.2 and B.
GRPC_STATUS = re.compile(rb"\x88\x9a\xca\xc8\xb2\x12\x34\xda\x8f[\x01\x02](\d+)")


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(token):
    """Headers that show the token; none for None."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def tokens_by_role():
    """A web configuration: for each role a token that is called as it, and IDLE."""
    tokens = "".join(f"  {name}: {{sha256: {digest(name)}}}\n" for name in (*ROLES, IDLE))
    roles = "".join(f"  - {{token: {name}, roles: [{name}]}}\n" for name in ROLES)
    return f"lockstep_bearer_tokens:\n{tokens}lockstep_roles:\n{roles}"


def roles_of_paths():
    """What docs/openapi.yaml says that each path asks for."""
    document = (programs.ROOT / "docs/openapi.yaml").read_text()
    paths = re.findall(r"^  (/[^\s:]*):(.*(?:\n    .*)*)", document.split("\npaths:\n")[1].split("\ncomponents:")[0],
                       re.M)
    roles = {}
    for path, item in paths:
        found = re.search(r"x-lockstep-role: (\w+)", item)
        if found is None:
            raise AssertionError(f"docs/openapi.yaml: {path} has no x-lockstep-role")
        roles[path] = found[1]
    return roles


def _literal(text):
    return bytes([len(text)]) + text.encode()


def _frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def grpc_status(address, token, message=b"", tls=None):
    """The status of a call of the metrics service, in plain HTTP/2; `tls` is an ssl.SSLContext."""
    headers = {":method": "POST", ":scheme": "http" if tls is None else "https", ":path": EXPORT, ":authority": address,
               "content-type": "application/grpc", "te": "trailers",
               **{name.lower(): value for name, value in bearer(token).items()}}
    block = b"".join(b"\0" + _literal(name) + _literal(value) for name, value in headers.items())
    body = b"\0" + len(message).to_bytes(4, "big") + message
    host, port = address.split(":")
    with contextlib.ExitStack() as stack:
        connection = stack.enter_context(socket.create_connection((host, int(port)), timeout=WITHIN_S))
        if tls is not None:
            tls.set_alpn_protocols(["h2"])
            connection = stack.enter_context(tls.wrap_socket(connection, server_hostname=host))
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(SETTINGS, 0, 0) +
                           _frame(HEADERS, END_HEADERS, 1, block) + _frame(DATA, END_STREAM, 1, body))
        answer = b""
        while (found := GRPC_STATUS.search(answer)) is None:
            piece = connection.recv(65536)
            if not piece:
                raise AssertionError(f"no status: {answer}")
            answer += piece
        return int(found[1])
