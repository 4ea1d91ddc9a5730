"""The real program over real sockets: its one line of output, its pages, its limits, and how it
stops.
"""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import lockstep_server  # noqa: E402
import programs  # noqa: E402

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60


class HttpTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def start(self, *flags):
        server = lockstep_server.Server.ready(self.folder, *flags)
        self.addCleanup(server.kill)
        return server

    def connect(self, server):
        connection = server.connect()
        self.addCleanup(connection.close)
        return connection

    def raw(self, server):
        """A plain socket connected to the server."""
        host, port = server.address.split(":")
        connection = socket.create_connection((host, int(port)), timeout=WITHIN_S)
        self.addCleanup(connection.close)
        return connection

    def receive(self, connection):
        """One response as (status, headers, body)."""
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, response.headers, response.read()

    def test_pages_and_metrics(self):
        server = self.start()
        connection = self.connect(server)
        for path in ("/-/healthy", "/-/ready", "/api/v1/status/buildinfo"):
            self.assertEqual(connection.get(path).status, 200, path)
        self.assertEqual(connection.get("/nowhere").status, 404)
        series = ({"__name__": "up", "job": "x"}, [(now_ms(), 1)])
        self.assertTrue(connection.write([series]).stored)
        metrics = connection.get("/metrics")
        self.assertEqual(metrics.headers["Content-Type"],
                         "text/plain; version=0.0.4; charset=utf-8")
        for line in ('lockstep_storage_samples_total{outcome="appended"} 1',
                     'lockstep_ingest_requests_total 1',
                     'lockstep_api_requests_total{handler="/-/ready",code="200"} 1',
                     'lockstep_http_open_connections 1'):
            self.assertIn(line + "\n", metrics.text)
        self.assertRegex(metrics.text, r"\nprocess_resident_memory_bytes [1-9]")
        self.assertEqual(server.stop(), 0)

    def test_configuration_file_and_flags(self):
        config = self.folder / "lockstep.yml"
        config.write_text("query: {timeout: 7s}\nstorage: {retention: {time: 3d}}\n")
        server = self.start("--config", str(config), "--storage.retention.time", "4d")
        flags = self.connect(server).get("/api/v1/status/flags").text
        self.assertIn('"query.timeout":"7s"', flags)
        self.assertIn('"storage.retention.time":"4d"', flags)

    # Minutes of work without any data: 11,000 windows of 86,400 points.
    LONG_QUERY = {"query": "mad_over_time(vector(1)[1d:1s])", "start": 1_700_000_000,
                  "end": 1_700_660_000, "step": 60}

    def begin_long_query(self, server):
        """The connection, which waits for its response."""
        connection = self.raw(server)
        target = f"/api/v1/query_range?{urllib.parse.urlencode(self.LONG_QUERY)}"
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return connection

    def active_queries(self, server):
        return json.loads(self.connect(server).get("/api/v1/status/active_queries").body)["data"]

    def await_running(self, server):
        def running():
            return [query for query in self.active_queries(server) if query["state"] == "running"]
        return programs.wait_until(running, "the query runs", WITHIN_S)[0]

    def test_a_query_is_listed_and_stopped(self):
        server = self.start()
        waiting = self.begin_long_query(server)
        query = self.await_running(server)
        self.assertEqual((query["path"], query["query"]),
                         ("/api/v1/query_range", self.LONG_QUERY["query"]))
        host, port = server.address.split(":")
        stopper = http.client.HTTPConnection(host, int(port), timeout=WITHIN_S)
        self.addCleanup(stopper.close)
        stopper.request("DELETE", f"/api/v1/status/active_queries/{query['id']}")
        self.assertEqual(stopper.getresponse().status, 204)
        status, _, body = self.receive(waiting)
        self.assertEqual((status, json.loads(body)["errorType"]), (499, "canceled"))
        self.assertEqual(self.active_queries(server), [])

    def test_a_query_stops_when_its_client_hangs_up(self):
        server = self.start()
        waiting = self.begin_long_query(server)
        self.await_running(server)
        waiting.close()
        programs.wait_until(lambda: not self.active_queries(server), "the query stops", WITHIN_S)

    def test_queries_do_not_keep_a_server_from_ending(self):
        server = self.start()
        self.begin_long_query(server)
        self.await_running(server)
        self.assertEqual(server.stop(), 0)

    def test_queries_are_logged(self):
        log = self.folder / "query.log"
        server = self.start("--query.log-file", str(log))
        connection = self.connect(server)
        connection.get("/api/v1/query", query="1 + 1", time=1700000000)
        connection.get("/api/v1/query_range", query="up", start=0, end=60, step=15)
        connection.get("/api/v1/query", query="no query")
        log.rename(self.folder / "moved.log")
        connection.post("/api/v1/query", query="up * on () up")
        lines = [json.loads(line) for line in
                 (self.folder / "moved.log").read_text().splitlines() +
                 log.read_text().splitlines()]
        self.assertEqual([(line["params"]["query"], line["params"]["step"],
                           line["httpRequest"]["method"]) for line in lines],
                         [("1 + 1", 0, "GET"), ("up", 15, "GET"), ("up * on () up", 0, "POST")])
        self.assertEqual(lines[0]["params"]["start"], "2023-11-14T22:13:20.000Z")
        self.assertEqual(lines[0]["httpRequest"]["clientIP"], "127.0.0.1")

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                              timeout=WITHIN_S, cwd=self.folder)

    def test_bad_configuration_is_refused(self):
        config = self.folder / "bad.yml"
        config.write_text("query:\n  timeout: 7s\n  colour: red\n")
        for arguments in (("serve", "--config", "bad.yml"), ("check", "config", "bad.yml")):
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr,
                             'lockstep: bad.yml line 3: unknown key "query.colour"\n')
        self.assertEqual(self.run_program("serve", "--query.timeout", "soon").returncode, 2)
        self.assertEqual(self.run_program("serve", "--nonsense").returncode, 2)
        config.write_text("query: {timeout: 7s}\n")
        self.assertEqual(self.run_program("check", "config", "bad.yml").stdout, "bad.yml is fine\n")

    def test_version(self):
        result = self.run_program("version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^lockstep \d+\.\d+\.\d+")
        for library in ("RocksDB", "Boost", "OpenSSL", "Abseil"):
            self.assertRegex(result.stdout, rf"\n{library} \S+\n")

    def test_import_and_query(self):
        server = self.start()
        samples = self.folder / "samples.txt"
        second = now_ms() // 1000
        samples.write_text(f'# TYPE a gauge\na{{b="c"}} 1 {second}\na{{b="d"}} 2 {second}\n# EOF\n')
        to = ("import", "--to", server.url)
        result = self.run_program(*to, "--dry-run", "samples.txt")
        self.assertRegex(result.stdout, "^samples.txt: openmetrics: 2 samples of 2 series, ")
        self.assertRegex(result.stdout, "\nread 2 samples of 1 source ")
        self.assertEqual(self.connect(server).query("a", second), [])
        result = self.run_program(*to, "--resume", "samples.txt")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["data", "lockstep.log", "samples.txt"])
        result = self.run_program("query", "--url", server.url, "--time", str(second),
                                  "sum by (b) (a)")
        self.assertEqual(result.stdout, "b  value\nc      1\nd      2\n")
        result = self.run_program("query", "--url", server.url, "sum(")
        self.assertEqual(result.returncode, 1)
        self.assertIn("lockstep: HTTP 400: bad_data: ", result.stderr)

    def test_import_says_what_it_left_out(self):
        server = self.start()
        second = now_ms() // 1000
        (self.folder / "bad.txt").write_text(f"a 1 {second}\na one {second}\na 2 5\n# EOF\n")
        result = self.run_program("import", "--to", server.url, "bad.txt")
        self.assertEqual(result.returncode, 3)
        self.assertIn('lockstep: bad.txt: line 2: "one" is not a number\n', result.stderr)
        self.assertIn("lockstep: bad.txt: lines 1 to 4: ", result.stderr)  # a sample of 1970
        self.assertIn("1 malformed ones skipped; 1 requests partly accepted", result.stdout)
        self.assertEqual(self.connect(server).query("a", second)[0]["value"][1], "1")
        (self.folder / "cut.txt").write_text(f"a 1 {second}\n")
        self.assertEqual(self.run_program("import", "--to", server.url, "cut.txt").returncode, 3)
        self.assertEqual(self.run_program("import", "--to", server.url, "none.txt").returncode, 1)
        self.assertEqual(self.run_program("import", "--format", "none", "cut.txt").returncode, 2)

    def test_a_taken_port_is_an_error(self):
        server = self.start()
        result = self.run_program("serve", "--http", server.url.removeprefix("http://"),
                                  "--data", "other")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Address already in use", result.stderr)

    def test_a_request_under_way_is_answered_at_shutdown(self):
        server = self.start()
        idle, busy = self.raw(server), self.raw(server)
        idle.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(self.receive(idle)[0], 200)
        body = b"query=1%2B1"
        # The response to "100-continue" shows that the server has begun to read the request.
        busy.sendall(b"POST /api/v1/format_query HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                     b"Content-Type: application/x-www-form-urlencoded\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(body))
        self.assertEqual(busy.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
        os.kill(server.pid, signal.SIGTERM)
        self.assertEqual(idle.recv(1), b"")  # idle connections are closed immediately
        busy.sendall(body)
        status, headers, answer = self.receive(busy)
        self.assertEqual(status, 200)
        self.assertEqual(headers["Connection"], "close")
        self.assertIn(b'"1 + 1"', answer)
        busy.close()
        self.assertEqual(server.wait(), 0)

    def test_a_query_under_way_is_stopped_at_shutdown(self):
        server = self.start()
        busy = self.raw(server)
        # Longer than the server waits.
        query = "+".join(f"quantile_over_time(0.{i},vector(time())[90000s:1s])" for i in range(100))
        body = b"start=0&end=10000&step=1&query=" + urllib.parse.quote(query).encode()
        busy.sendall(b"POST /api/v1/query_range HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Type: application/x-www-form-urlencoded\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(body) + body)
        client = self.connect(server)
        while '"state":"running"' not in client.get("/api/v1/status/active_queries").text:
            pass
        os.kill(server.pid, signal.SIGTERM)
        status, _, answer = self.receive(busy)
        self.assertEqual((status, json.loads(answer)["error"]), (503, "the server is shutting down"))
        busy.close()
        self.assertEqual(server.wait(), 0)

    def test_a_second_signal_ends_at_once(self):
        server = self.start()
        idle, busy = self.raw(server), self.raw(server)
        idle.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(self.receive(idle)[0], 200)
        busy.sendall(b"POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                     b"Content-Length: 5\r\n\r\n")
        self.assertEqual(busy.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
        os.kill(server.pid, signal.SIGTERM)
        self.assertEqual(idle.recv(1), b"")  # the server has received the first signal
        os.kill(server.pid, signal.SIGINT)
        self.assertEqual(server.wait(), 128 + signal.SIGINT)

    def test_what_was_written_is_there_after_a_restart(self):
        server = self.start()
        time_ms = now_ms()
        self.assertTrue(self.connect(server).write([({"__name__": "a"}, [(time_ms, 42)])]).stored)
        self.assertEqual(server.stop(), 0)
        server = self.start()
        self.assertEqual(self.connect(server).query("a", time_ms / 1000)[0]["value"][1], "42")


def now_ms():
    """The store rejects samples outside its retention, so times must be current."""
    return int(time.time() * 1000)


if __name__ == "__main__":
    unittest.main()
