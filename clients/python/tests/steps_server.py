"""A server that implements POST /api/v1/push/steps (docs/python.md) and can be made to fail.

What it stores survives `stop` and `start`, as on a server with a disk; the port stays the same and
refuses connections in between.
"""

from __future__ import annotations

import gzip
import http.server
import json
import socket
import threading
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

PATH = "/api/v1/push/steps"
REGISTER_PATH = "/api/v1/training/register"
MAX_BODY_BYTES = 1 << 20


class Request:
    """A body with its position in a stream."""

    def __init__(self, headers: Any, body: bytes) -> None:
        self.stream: str = headers["X-Lockstep-Stream"]
        self.offset = int(headers["X-Lockstep-Offset"])
        self.authorization: Optional[str] = headers["Authorization"]
        self.content_type: str = headers["Content-Type"]
        self.encoding: Optional[str] = headers["Content-Encoding"]
        self.body = gzip.decompress(body) if self.encoding == "gzip" else body


# Status, headers, body; None breaks the connection without a response.
Reply = Optional[Tuple[int, Dict[str, str], bytes]]
# What happens to a request instead of being stored and answered.
Fault = Callable[["StepsServer", Request], Reply]


def answered(status: int, body: bytes = b"", **headers: str) -> Fault:
    """Nothing is stored, and the response says so."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda server, request: (status, named, body)


def cut_before_storing(server: "StepsServer", request: Request) -> Reply:
    return None


def cut_after_storing(server: "StepsServer", request: Request) -> Reply:
    server.store(request)
    return None


def forgetting(server: "StepsServer", request: Request) -> Reply:
    """The server has lost the positions of its streams, but not their lines."""
    server.lengths.clear()
    return server.store(request)


class StepsServer:
    """Listens from `start` to `stop`. Attributes may be read while no request runs."""

    def __init__(self) -> None:
        self.lines: List[Dict[str, Any]] = []
        self.requests: List[Request] = []
        self.registrations: List[Dict[str, Any]] = []
        self.register_status = 204
        # Everything accepted or refused, in order: "steps", "alive" or "end", with its rank.
        self.arrivals: List[Tuple[str, int]] = []
        self.lengths: Dict[str, int] = {}
        self.faults: Deque[Fault] = deque()
        self.max_body_bytes = MAX_BODY_BYTES
        self._lock = threading.Lock()
        # Bound but never listening: keeps the port reserved while the server is down.
        self._place = socket.socket()
        self._place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._place.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._place.getsockname()[1]}"
        self._http: Optional[http.server.ThreadingHTTPServer] = None

    def start(self) -> None:
        self._http = Listener(self._place.getsockname(), self)
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._http.cut_connections()
            self._http = None

    def close(self) -> None:
        self.stop()
        self._place.close()

    def steps(self) -> List[int]:
        """The stored steps in order of arrival."""
        return [line["step"] for line in self.lines]

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            fault = self.faults.popleft() if self.faults else StepsServer.store
        return fault(self, request)

    def store(self, request: Request) -> Reply:
        with self._lock:
            expected = self.lengths.get(request.stream, 0)
            if request.offset != expected:
                return reply(409, {"expected_offset": expected})
            if len(request.body) > self.max_body_bytes:
                return reply(413, {"error": f"{len(request.body)} bytes, at most {self.max_body_bytes}"})
            self.lengths[request.stream] = expected + len(request.body)
            return self._store_lines(request.body)

    def register(self, told: Dict[str, Any]) -> Reply:
        with self._lock:
            self.arrivals.append(("end" if "exit_code" in told else "alive", told["rank"]))
            if self.register_status == 204:
                self.registrations.append(told)
            return self.register_status, {}, b""

    def _store_lines(self, body: bytes) -> Reply:
        rejected = []
        taken = []
        for number, text in enumerate(body.splitlines(), 1):
            line = json.loads(text)
            if line["step"] < 0:
                rejected.append({"line": number, "reason": "a step must not be negative"})
            else:
                taken.append(line)
        self.lines += taken
        self.arrivals += [("steps", line["rank"]) for line in taken]
        return reply(400 if rejected else 200, {"accepted": len(taken), "rejected": rejected})


def reply(status: int, told: Dict[str, Any]) -> Reply:
    return status, {}, json.dumps(told).encode()


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: Tuple[str, int], store: StepsServer) -> None:
        self.store = store
        self._open: List[socket.socket] = []
        super().__init__(address, Handler)

    def get_request(self) -> Any:
        connection, address = super().get_request()
        self._open.append(connection)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect."""

    def cut_connections(self) -> None:
        for connection in self._open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        told = self._answer(body)
        if told is None:
            self.close_connection = True
            return
        status, headers, text = told
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def _answer(self, body: bytes) -> Reply:
        if self.path == REGISTER_PATH:
            return self.server.store.register(json.loads(body))
        return self.server.store.answer(Request(self.headers, body)) if self.path == PATH else reply(404, {})

    def log_message(self, *_: Any) -> None:
        pass
