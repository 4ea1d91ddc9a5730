"""One client takes all it can get of connections, bodies, queries and samples per second. Another
one, with a different address, is served all the same, and health checks always succeed.
"""

import contextlib
import http.client
import os
import pathlib
import resource
import socket
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import lockstep_server
import programs
import remote_write

KIB = 1 << 10
MIB = 1 << 20
# The polite client's address; attackers come from 127.0.0.1.
POLITE = "127.0.0.2"
WITHIN_S = 60
# Short timeouts, so that attacks are over soon.
IMPATIENT = ("--web.slow-transfer-timeout", "1s", "--web.first-request-timeout", "1s")
# The share of the polite client's requests that must succeed.
MIN_SUCCESS = 0.99
PROBES = ("/-/healthy", "/-/ready", "/metrics")


def ask(address, method, path, body=None, headers=None, source=POLITE):
    """The response to a request on a separate connection."""
    connection = http.client.HTTPConnection(address, timeout=WITHIN_S, source_address=(source, 0))
    try:
        connection.request(method, path, body, headers or {})
        return lockstep_server.Answer(connection.getresponse())
    finally:
        connection.close()


def write(address, name, count=1, source=POLITE):
    now_ms = int(time.time() * 1000)
    series = [({"__name__": name, "i": str(i)}, [(now_ms, 1.0)]) for i in range(count)]
    return ask(address, "POST", remote_write.PATH, remote_write.body(series), remote_write.HEADERS, source)


class AttackTest(unittest.TestCase):
    flags = IMPATIENT

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-attack-")
        self.addCleanup(folder.cleanup)
        self.server = self.start(pathlib.Path(folder.name))
        self.addCleanup(self.server.kill)
        self.address = self.server.address
        host, port = self.address.split(":")
        self.endpoint = (host, int(port))
        self.sockets = contextlib.ExitStack()
        self.addCleanup(self.sockets.close)
        self.assertEqual(write(self.address, "first").status, 204)

    def start(self, folder):
        return lockstep_server.Server.ready(folder, *self.flags)

    def connect(self, receive_bytes=None):
        connection = self.sockets.enter_context(socket.socket())
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(WITHIN_S)
        connection.connect(self.endpoint)
        return connection

    def assert_served(self, rounds=100):
        """The polite client writes and queries while health checks run."""
        answers = []
        for _ in range(rounds):
            answers.append(write(self.address, "polite"))
            answers.append(ask(self.address, "GET", "/api/v1/query?query=1"))
        refused = [answer for answer in answers if answer.status not in (200, 204)]
        self.assertLessEqual(len(refused), (1 - MIN_SUCCESS) * len(answers),
                             [(answer.status, answer.text) for answer in refused])
        self.assert_probed()

    def assert_probed(self):
        for path in PROBES:
            # Health checks come from the attacker's address, as behind a proxy.
            self.assertEqual(ask(self.address, "GET", path, source="127.0.0.1").status, 200, path)

    def metric(self, name):
        text = ask(self.address, "GET", "/metrics").text
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith(name + " ")))

    def resident_bytes(self):
        for line in pathlib.Path(f"/proc/{self.server.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * KIB
        raise AssertionError("the server is gone")

    def assert_memory_returns(self, before):
        programs.wait_until(lambda: self.resident_bytes() < before + 96 * MIB, "its memory", WITHIN_S)


class SlowBodies(AttackTest):
    def test_bodies_that_do_not_end(self):
        before = self.resident_bytes()
        size = 64 * MIB
        senders = []
        for _ in range(8):
            sender = self.connect()
            sender.sendall(b"POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % size)
            with contextlib.suppress(OSError):  # it is refused
                for _ in range(63):
                    sender.sendall(bytes(MIB))
            senders.append(sender)
        self.assertLessEqual(self.metric("lockstep_http_body_bytes_held"), 512 * MIB)
        self.assert_served()
        answers = {self.status_of(sender) for sender in senders}
        # The server closed the connection, perhaps before its response could be read.
        self.assertLessEqual(answers, {408, 503, None})
        self.assert_memory_returns(before)
        self.assertEqual(self.metric("lockstep_http_body_bytes_held"), 0)

    def status_of(self, sender):
        try:
            head = sender.recv(4096)
        except ConnectionResetError:
            return None
        return int(head.split()[1]) if head else None

    def test_a_body_that_trickles(self):
        sender = self.connect()
        sender.sendall(b"POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        sender.settimeout(0.05)
        answer = b""
        while not answer:
            with contextlib.suppress(TimeoutError):
                sender.sendall(b"1\r\nx\r\n")
                answer = sender.recv(4096)
        self.assertIn(b" 408 ", answer)
        self.assertIn(b"web.min-transfer-rate", answer)


class SlowReaders(AttackTest):
    flags = (*IMPATIENT, "--query.max-concurrency", "2")

    def test_answers_that_nobody_takes(self):
        before = self.resident_bytes()
        now_ms = int(time.time() * 1000)
        series = [({"__name__": "wide", "i": str(i), "pad": "x" * 500},
                   [(now_ms - 1000 * k, 1.0) for k in range(600, 0, -1)]) for i in range(400)]
        answer = ask(self.address, "POST", remote_write.PATH, remote_write.body(series), remote_write.HEADERS)
        self.assertEqual(answer.status, 204, answer.text)
        path = "/api/v1/query_range?" + urllib.parse.urlencode(
            {"query": "wide", "start": now_ms / 1000 - 600, "end": now_ms / 1000, "step": 1})
        for _ in range(20):
            self.connect(receive_bytes=4096).sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        programs.wait_until(lambda: self.metric("lockstep_queries_queued") > 0, "readers that wait", WITHIN_S)
        self.assert_served(rounds=20)
        # Each is closed, and the next one takes its place.
        programs.wait_until(lambda: self.metric("lockstep_queries_running") == 0, "their end", WITHIN_S)
        self.assertEqual(self.metric("lockstep_queries_queued"), 0)
        self.sockets.close()
        self.assert_memory_returns(before)


class ManyConnections(AttackTest):
    flags = (*IMPATIENT, "--web.max-connections", "64", "--web.read-timeout", "1h")

    def test_idle_connections(self):
        for _ in range(200):
            self.connect()
        self.assert_served()
        self.assertGreater(self.metric("lockstep_http_displaced_connections_total"), 0)
        self.assertLessEqual(self.metric("lockstep_http_open_connections"), 64 + 16)

    def test_connections_kept_alive(self):
        for _ in range(200):
            connection = self.connect()
            connection.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            self.assertIn(b" 200 ", connection.recv(4096))
        self.assert_served()
        self.assertLessEqual(self.metric("lockstep_http_open_connections"), 64 + 16)

    def test_slow_heads(self):
        for _ in range(200):
            with contextlib.suppress(OSError):
                self.connect().sendall(b"GET / HTTP/1.1\r\n")
        self.assert_served()

    def test_the_same_address_is_served_too(self):
        for _ in range(200):
            self.connect()
        statuses = {write(self.address, "same", source="127.0.0.1").status for _ in range(50)}
        self.assertEqual(statuses, {204})

    def test_connections_end_that_ask_nothing(self):
        connection = self.connect()
        self.assertEqual(connection.recv(1), b"")


class NoisySender(AttackTest):
    flags = (*IMPATIENT, "--ingest.max-samples-per-second", "2000")

    def test_a_sender_over_the_rate(self):
        is_over = threading.Event()
        answers = []

        def send():
            while not is_over.is_set():
                answers.append(write(self.address, "noisy", count=1000, source="127.0.0.1").status)
        senders = [threading.Thread(target=send) for _ in range(2)]
        for sender in senders:
            sender.start()
        try:
            programs.wait_until(lambda: 429 in answers, "a refusal", WITHIN_S)
            # However fast they come, they fit into the eighth of the rate that is reserved for
            # small requests.
            polite = [write(self.address, "polite", count=1).status for _ in range(100)]
            # Small requests from the noisy address succeed.
            same = [write(self.address, "same", source="127.0.0.1").status for _ in range(20)]
        finally:
            is_over.set()
            for sender in senders:
                sender.join()
        self.assertGreaterEqual(polite.count(204), MIN_SUCCESS * len(polite), polite)
        self.assertEqual(set(same), {204})


class SlowQueries(AttackTest):
    flags = (*IMPATIENT, "--query.timeout", "10s", "--query.max-concurrency", "2")

    def test_many_queries_that_take_long(self):
        slow = "/api/v1/query?" + urllib.parse.urlencode({"query": "mad_over_time(vector(1)[30d:1s])"})
        is_over = threading.Event()

        def query():
            while not is_over.is_set():
                with contextlib.suppress(OSError, http.client.HTTPException):
                    ask(self.address, "GET", slow, source="127.0.0.1")
        askers = [threading.Thread(target=query) for _ in range(40)]
        for asker in askers:
            asker.start()
        try:
            programs.wait_until(lambda: self.metric("lockstep_queries_queued") > 10, "a queue", WITHIN_S)
            self.assert_served(rounds=10)
        finally:
            is_over.set()
            self.server.kill()
            for asker in askers:
                asker.join()


class FileHandles(AttackTest):
    """With few file handles, the store keeps those that it needs, and connections recover after
    handles run out.
    """
    handles = 256

    def start(self, folder):
        program = folder / "lockstep"
        program.write_text(f'#!/bin/sh\nulimit -n {self.handles}; ulimit -Sn 64; exec "$LOCKSTEP_PROGRAM" "$@"\n')
        program.chmod(0o700)
        return lockstep_server.Server.ready(folder, program=str(program))

    def test_connections_leave_handles_for_the_store(self):
        for _ in range(2 * self.handles):
            self.connect()
        self.assertLess(self.open_files(), self.handles - 64)
        for batch in range(10):
            self.assertEqual(write(self.address, f"large_{batch}", count=500).status, 204)
        self.assert_served(rounds=20)

    def test_accepting_goes_on_after_handles_ran_out(self):
        resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE, (3, self.handles))
        waiting = self.connect()
        waiting.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        waiting.settimeout(1)
        with self.assertRaises(TimeoutError):
            waiting.recv(1)
        resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE, (self.handles, self.handles))
        waiting.settimeout(10)
        self.assertIn(b" 200 ", waiting.recv(4096))
        self.assert_served(rounds=20)

    def open_files(self):
        return len(os.listdir(f"/proc/{self.server.pid}/fd"))


if __name__ == "__main__":
    unittest.main()
