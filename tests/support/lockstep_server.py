"""A lockstep server as a child process, and a simple HTTP client for it."""

import http.client
import json
import os
import pathlib
import re
import selectors
import subprocess
import tempfile
import time
import urllib.parse

import programs
import remote_write

READY = re.compile(r"lockstep is ready on (https?://([0-9.]+:[0-9]+))")
ANSWER_WITHIN_S = 60


class Answer:
    """Status, headers and body of an HTTP response."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def text(self):
        return self.body.decode(errors="replace")

    @property
    def stored(self):
        """Whether the server acknowledged the data."""
        return 200 <= self.status < 300


class Connection:
    """One keep-alive connection. Not thread-safe. Raises OSError or HTTPException when it breaks."""

    def __init__(self, address):
        self._http = http.client.HTTPConnection(address, timeout=ANSWER_WITHIN_S)

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters, doseq=True)
        self._http.request("GET", f"{path}?{query}" if query else path)
        return Answer(self._http.getresponse())

    def post(self, path, **parameters):
        self._http.request("POST", path, urllib.parse.urlencode(parameters, doseq=True),
                           {"Content-Type": "application/x-www-form-urlencoded"})
        return Answer(self._http.getresponse())

    def send(self, method, path, body=None, headers=()):
        self._http.request(method, path, body, dict(headers))
        return Answer(self._http.getresponse())

    def write(self, series):
        """Remote-writes ({name: value}, [(time in ms, value), ...]) pairs."""
        self._http.request("POST", remote_write.PATH, remote_write.body(series),
                           remote_write.HEADERS)
        return Answer(self._http.getresponse())

    def query(self, text, time_s):
        """The result of an instant query."""
        answer = self.get("/api/v1/query", query=text, time=f"{time_s:.3f}")
        if answer.status != 200:
            raise AssertionError(f"{text}: {answer.status} {answer.text}")
        return json.loads(answer.body)["data"]["result"]

    def close(self):
        self._http.close()


class Server(programs.Program):
    """A lockstep on a free port.

    `await_ready` returns when it responds; before that, only kill() and stop() may be called.
    """

    def __init__(self, folder, *flags, program=None, http="127.0.0.1:0"):
        """`folder` holds the data and the log; a later server in the same folder continues them.
        Runs `program`, or the one that LOCKSTEP_PROGRAM names. `http` may be the address of a
        server that has ended.
        """
        self.data = folder / "data"
        super().__init__(
            folder, "lockstep",
            [program or os.environ["LOCKSTEP_PROGRAM"], "serve", "--http", http,
             "--data", str(self.data), *flags], stdout=subprocess.PIPE)
        self.url = None
        self.address = None

    @classmethod
    def ready(cls, folder, *flags, program=None, http="127.0.0.1:0"):
        server = cls(folder, *flags, program=program, http=http)
        try:
            server.await_ready()
        except BaseException:
            server.kill()
            raise
        return server

    @classmethod
    def of_recordings(cls, test_class, *flags):
        """A server on an empty folder for all tests of a class; it ends with them. Samples of any
        age are kept, because recordings have dates in the past.
        """
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        test_class.addClassCleanup(folder.cleanup)
        server = cls.ready(pathlib.Path(folder.name), "--storage.retention.time", "100y", *flags)
        test_class.addClassCleanup(server.kill)
        return server

    def await_ready(self):
        deadline = time.monotonic() + programs.READY_WITHIN_S
        said = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not (found := READY.search(said.decode(errors="replace"))):
                if not selector.select(max(0, deadline - time.monotonic())):
                    raise TimeoutError(f"not ready within {programs.READY_WITHIN_S} s; "
                                       f"{self._last_words()}")
                piece = os.read(self._process.stdout.fileno(), 4096)
                if not piece:
                    raise ChildProcessError(f"ended while starting; {self._last_words()}")
                said += piece
        self.url, self.address = found[1], found[2]

    def connect(self):
        return Connection(self.address)
