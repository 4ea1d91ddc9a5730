"""Requests arrive in order and exactly once, whatever a real HTTP server answers."""

import http.server
import logging
import threading
import unittest
from collections import deque

from lockstep.agent import remote_write
from lockstep.agent.pusher import Pusher
from lockstep.http_connection import HttpConnection

WITHIN_S = 300


class WriteServer(http.server.ThreadingHTTPServer):
    """Answers with the given statuses, then with 204; `taken` are the bodies answered with 204."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), WriteHandler)
        self.statuses = deque()
        self.taken = []
        self.changed = threading.Condition()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def await_taken(self, bodies):
        with self.changed:
            self.changed.wait_for(lambda: len(self.taken) >= len(bodies), WITHIN_S)
            return self.taken


class WriteHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == remote_write.PATH and remote_write.HEADERS.items() <= dict(self.headers).items()
        with self.server.changed:
            status = self.server.statuses.popleft() if self.server.statuses else 204
            if status == 204:
                self.server.taken.append(body)
                self.server.changed.notify_all()
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if status in (429, 503):
            self.send_header("Retry-After", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class PusherTest(unittest.TestCase):
    def setUp(self):
        logging.getLogger("lockstep.agent").setLevel(logging.CRITICAL)
        self.server = WriteServer()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def pusher(self, url=None, **options):
        return Pusher(HttpConnection(url or self.server.url, timeout_s=WITHIN_S), **options)

    def check(self, statuses, bodies, expected):
        self.server.statuses.extend(statuses)
        pusher = self.pusher()
        for body in bodies:
            pusher.push(body)
        self.assertEqual(self.server.await_taken(expected), expected)
        self.assertTrue(pusher.close(WITHIN_S))
        self.server.taken = []

    def test_statuses(self):
        bodies = [b"one", b"two", b"three"]
        self.check([], bodies, bodies)
        self.check([503, 429, 503], bodies, bodies)
        self.check([500], bodies, bodies)
        self.check([401], bodies, bodies)
        for refused in (400, 413, 415, 422):
            self.check([refused], bodies, bodies[1:])

    def test_a_server_that_is_away_costs_the_oldest(self):
        pusher = self.pusher("http://127.0.0.1:1", max_waiting_bytes=10)
        for body in (b"1111", b"2222", b"3333", b"4444"):
            pusher.push(body)
        self.assertEqual(pusher.dropped, 2)
        self.assertFalse(pusher.close(WITHIN_S))


if __name__ == "__main__":
    unittest.main()
