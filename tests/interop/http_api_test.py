"""The HTTP API responds like a real Prometheus: same data in both, same requests to both, same
bytes from both. promtool sees no difference either.

LOCKSTEP_PROGRAM names the server.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
import requests
from lockstep_server import Server
from prometheus3 import send
from prometheus_server import Prometheus

# One scrape every 15 s for 15 minutes, 0.4 s after the whole second.
SCRAPE_TIMES_MS = [(requests.T - 900 + 15 * i) * 1000 + 400 for i in range(60)]


def push(server):
    series = [(labels, [(time_ms, value) for time_ms in SCRAPE_TIMES_MS])
              for labels, value in requests.SERIES]
    status, _, text = send(server, "POST", remote_write.PATH, remote_write.body(series),
                           remote_write.HEADERS)
    assert status == 204, (status, text)


def ask(server, path, parameters, method="GET"):
    form = urllib.parse.urlencode(parameters, doseq=True)
    if method == "GET":
        return send(server, "GET", f"/api/v1/{path}?{form}")
    return send(server, "POST", f"/api/v1/{path}", form,
                {"Content-Type": "application/x-www-form-urlencoded"})


class HttpApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-interop-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.lockstep = Server.ready(path, "--storage.retention.time", "100y")
        cls.addClassCleanup(lambda: cls.lockstep.stop())
        cls.prometheus = Prometheus(path, "--storage.tsdb.retention.time=100y")
        cls.addClassCleanup(lambda: cls.prometheus.stop())
        push(cls.prometheus)
        push(cls.lockstep)

    def check_same_bytes(self, path, parameters, method):
        theirs = ask(self.prometheus, path, parameters, method)
        ours = ask(self.lockstep, path, parameters, method)
        if path == "query" and json.loads(theirs[2]).get("data", {}).get("resultType") == "vector":
            # The order of a vector only matters if it was sorted.
            if not parameters["query"].startswith("sort"):
                theirs, ours = sorted_vector(theirs), sorted_vector(ours)
        if path == "series":
            # Prometheus 2.53 returns the series of a single matcher in any order.
            theirs, ours = sorted_series(theirs), sorted_series(ours)
        self.assertEqual(theirs, ours)

    def test_the_same_bytes(self):
        for path, parameters in requests.SAME_BYTES:
            with self.subTest(path=path, parameters=parameters):
                self.check_same_bytes(path, parameters, "GET")

    def test_the_same_bytes_to_posted_forms(self):
        for path, parameters in requests.SAME_BYTES:
            if path in ("query", "query_range", "labels", "series", "format_query"):
                with self.subTest(path=path, parameters=parameters):
                    self.check_same_bytes(path, parameters, "POST")

    def test_the_same_errors(self):
        for path, parameters in requests.SAME_ERROR:
            with self.subTest(path=path, parameters=parameters):
                theirs = ask(self.prometheus, path, parameters)
                ours = ask(self.lockstep, path, parameters)
                self.assertEqual(theirs[:2], ours[:2])
                if theirs[1] == "application/json":
                    self.assertEqual(json.loads(theirs[2])["errorType"],
                                     json.loads(ours[2])["errorType"])

    def test_wrong_methods(self):
        for method, path in (("PUT", "query"), ("POST", "label/job/values"), ("GET", "write")):
            with self.subTest(method=method, path=path):
                self.assertEqual(send(self.lockstep, method, f"/api/v1/{path}")[0], 405)

    def test_promtool_sees_no_difference(self):
        promtool = programs.find_program("promtool")
        for arguments in requests.PROMTOOL:
            with self.subTest(arguments=arguments):
                outputs = []
                for server in (self.prometheus, self.lockstep):
                    done = subprocess.run(
                        [promtool, *(a.format(url=server.url) for a in arguments)],
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                    outputs.append((done.returncode, in_any_order(done.stdout)))
                self.assertEqual(*outputs)


def in_any_order(output):
    """The lines of a text, or the rows of a JSON list, sorted."""
    try:
        rows = [json.dumps(row, sort_keys=True) for row in json.loads(output)]
    except ValueError:
        rows = output.splitlines()
    return sorted(rows)


def sorted_series(answer):
    status, content_type, body = answer
    document = json.loads(body)
    document.get("data", []).sort(key=lambda labels: sorted(labels.items()))
    return status, content_type, document


def sorted_vector(answer):
    status, content_type, body = answer
    document = json.loads(body, parse_float=str, parse_int=str)
    document["data"]["result"].sort(key=lambda row: sorted(row["metric"].items()))
    return status, content_type, document


if __name__ == "__main__":
    unittest.main()
