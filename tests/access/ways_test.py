"""Every ingestion protocol obeys the same limits as remote write: the jobs, rate and tenant of a
credential, and the limits on jobs, on bodies and on their decompressed size. A rejected part does
not affect the rest.

LOCKSTEP_PROGRAM names the server.
"""

import gzip
import json
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import credentials
import datadog_payload
import programs
import remote_write
from lockstep_server import Server

LARGE_BYTES = 33 << 20


def now_ms():
    return int(time.time() * 1000)


def influx(jobs):
    return "".join(f"points,job={job} value=1 {now_ms()}\n" for job in jobs).encode()


def json_lines(jobs):
    return "".join(json.dumps({"metric": {"__name__": "points", "job": job}, "values": [1], "timestamps": [now_ms()]}) + "\n"
                   for job in jobs).encode()


def exposition(jobs):
    return "".join(f'points{{job="{job}"}} 1\n' for job in jobs).encode()


def datadog(jobs):
    return json.dumps({"series": [{"metric": "points", "points": [[now_ms() / 1000, 1]], "tags": [f"job:{job}"]}
                                  for job in jobs]}).encode()


def datadog_agent(jobs):
    return datadog_payload.message([("points", [(int(time.time()), 1)], [f"job:{job}"], ()) for job in jobs])


def samples(jobs):
    return remote_write.body([({"__name__": "points", "job": job}, [(now_ms(), 1)]) for job in jobs])


# Method, path, a body with one sample for each job, and headers.
WAYS = {
    "remote write": ("POST", "/api/v1/write", samples, remote_write.HEADERS),
    "influxdb 1": ("POST", "/write?precision=ms", influx, {}),
    "influxdb 2": ("POST", "/api/v2/write?precision=ms", influx, {}),
    "json lines": ("POST", "/api/v1/import", json_lines, {}),
    "text": ("POST", "/api/v1/import/prometheus", exposition, {}),
    "datadog 1": ("POST", "/datadog/api/v1/series", datadog, {"Content-Type": "application/json"}),
    "datadog 2": ("POST", "/datadog/api/v2/series", datadog, {"Content-Type": "application/json"}),
    "datadog agent": ("POST", "/datadog/api/v2/series", datadog_agent, {"Content-Type": "application/x-protobuf"}),
}


class WaysTest(unittest.TestCase):
    def start(self, *flags, web=""):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        self.addCleanup(folder.cleanup)
        if web:
            path = pathlib.Path(folder.name) / "web.yml"
            path.write_text(web)
            flags = (*flags, "--web.config.file", str(path))
        self.server = Server.ready(pathlib.Path(folder.name), *flags)
        self.addCleanup(self.server.kill)

    def send(self, way, jobs, headers=(), body=None):
        method, path, make, own = WAYS[way]
        connection = self.server.connect()
        self.addCleanup(connection.close)
        return connection.send(method, path, make(jobs) if body is None else body, {**own, **dict(headers)})

    def jobs(self, **headers):
        found = programs.ask_as(self.server.url, headers, "series", match="points")
        return sorted(series["job"] for series in found)

    def each(self):
        for i, way in enumerate(WAYS):
            with self.subTest(way=way):
                yield i, way

    def test_credentials_for_some_jobs(self):
        tokens = "".join(f"  {name}: {{sha256: {credentials.digest(name)}}}\n" for name in ("team", "reader"))
        self.start(web=f"lockstep_bearer_tokens:\n{tokens}lockstep_roles:\n"
                       '  - {token: team, roles: [write, push], jobs: "a-.*"}\n  - {token: reader, roles: [read]}\n')
        team = credentials.bearer("team")
        for i, way in self.each():
            self.assertEqual(self.send(way, [f"a-{i}", "b"], team).status, 403)
            self.assertLess(self.send(way, [f"a-{i}"], team).status, 300)
        self.assertEqual(self.jobs(**credentials.bearer("reader")), sorted(f"a-{i}" for i in range(len(WAYS))))
        connection = self.server.connect()
        self.addCleanup(connection.close)
        for job, status in (("a-pushed", 200), ("b", 403)):
            self.assertEqual(connection.send("PUT", f"/metrics/job/{job}", b"points 1\n", team).status, status)

    def test_tenants(self):
        self.start()
        for i, way in self.each():
            self.assertLess(self.send(way, [f"j{i}"], {"X-Scope-OrgID": "a"}).status, 300)
            self.assertEqual(self.send(way, [f"j{i}"], {"X-Scope-OrgID": "a|b"}).status, 400)
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.jobs(**{"X-Scope-OrgID": "a"}), sorted(f"j{i}" for i in range(len(WAYS))))

    def test_series_of_a_job(self):
        self.start("--ingest.max-series-per-job", "1")
        for i, way in self.each():
            self.assertLess(self.send(way, [f"j{i}"]).status, 300)
            body = WAYS[way][2]([f"j{i}", f"k{i}"])
            if way != "remote write":
                # Another series of the job, which is rejected, and a valid one.
                body = body.replace(b"points", b"others", 1)
            else:
                body = remote_write.body([({"__name__": "others", "job": f"j{i}"}, [(now_ms(), 1)]),
                                          ({"__name__": "points", "job": f"k{i}"}, [(now_ms(), 1)])])
            answer = self.send(way, [], body=body)
            self.assertEqual(answer.status, 400)
            self.assertIn("max-series-per-job", answer.text)
        self.assertEqual(self.jobs(), sorted(f"{name}{i}" for i in range(len(WAYS)) for name in "jk"))

    def test_rates_of_jobs_and_of_all(self):
        self.start("--ingest.max-samples-per-second-per-job", "1")
        for i, way in self.each():
            self.assertLess(self.send(way, [f"j{i}"] * 50).status, 300)
            answer = self.send(way, [f"j{i}"])
            self.assertEqual(answer.status, 429, answer.text)
            self.assertTrue(int(answer.headers["Retry-After"]) > 0)
            partly = self.send(way, [f"j{i}", f"k{i}"])
            self.assertEqual(partly.status, 400, partly.text)
        self.assertEqual(self.jobs(), sorted(f"{name}{i}" for i in range(len(WAYS)) for name in "jk"))

    def test_bodies(self):
        self.start()
        for _, way in self.each():
            if way == "remote write":
                continue  # is always snappy
            self.assertEqual(self.send(way, [], {"Content-Encoding": "br"}).status, 415)
            gzipped = {"Content-Encoding": "gzip"}
            self.assertEqual(self.send(way, [], gzipped, gzip.compress(b" " * LARGE_BYTES)).status, 413)
            self.assertEqual(self.send(way, [], gzipped, b"no gzip").status, 400)
            self.assertLess(self.send(way, [], gzipped, gzip.compress(WAYS[way][2](["zipped"]))).status, 300)
        self.assertEqual(self.jobs(), ["zipped"])

    def test_stores_that_only_read(self):
        self.start()
        self.server.stop()
        folder = self.server.data.parent
        self.server = Server.ready(folder, "--storage.read-only")
        self.addCleanup(self.server.kill)
        for _, way in self.each():
            self.assertEqual(self.send(way, ["x"]).status, 403)


if __name__ == "__main__":
    unittest.main()
