"""Annotations of the real program: they survive a kill, expire like samples, and appear wherever jobs are shown.

LOCKSTEP_PROGRAM names the server.
"""

import json
import pathlib
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "grafana"))

import lockstep_server
import programs
from recordings import Recordings

JOB, TIME_S = "straggler-loader", 1795242230
DAY_S = 86400


def send(url, method, parameters=None, body=None, tenant=None):
    """(status, data or the error's text)"""
    target = f"{url}/api/v1/annotations" + (f"?{urllib.parse.urlencode(parameters, doseq=True)}" if parameters else "")
    request = urllib.request.Request(target, None if body is None else json.dumps(body).encode(), method=method)
    if tenant:
        request.add_header("X-Scope-OrgID", tenant)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)["error"]


class KeptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.now = time.time()

    def serve(self, *flags):
        server = lockstep_server.Server.ready(self.folder, *flags)
        self.addCleanup(server.kill)
        return server

    def texts(self, server, tenant=None):
        return [one["text"] for one in send(server.url, "GET", {"limit": 0}, tenant=tenant)[1]]

    def put(self, server, *annotations, tenant=None):
        status, told = send(server.url, "POST", None, annotations, tenant)
        self.assertEqual(status, 200, told)

    def test_a_kill_loses_nothing_that_was_accepted(self):
        server = self.serve()
        self.put(server, {"id": "a", "text": "first"}, {"id": "b", "kind": "profile", "text": "p", "start": self.now})
        self.put(server, {"id": "a", "text": "of a team"}, tenant="team")
        self.put(server, {"id": "b", "end": self.now + 1})
        server.kill()
        server = self.serve()
        self.assertEqual(sorted(self.texts(server)), ["first", "p"])
        self.assertEqual(self.texts(server, "team"), ["of a team"])
        self.assertEqual(self.texts(server, "nobody"), [])
        self.assertEqual(send(server.url, "DELETE", {"id": "a"})[0], 200)
        server.kill()
        server = self.serve()
        [profile] = send(server.url, "GET")[1]
        self.assertEqual((profile["text"], profile["is_open"]), ("p", False))
        self.assertEqual(self.texts(server, "team"), ["of a team"])

    def test_a_tenant_may_begin_with_an_annotation(self):
        server = self.serve()
        self.put(server, {"text": "before any sample"}, tenant="new")
        self.assertEqual(send(server.url, "POST", None, {"kind": "?"}, "refused")[0], 400)
        self.assertEqual(self.texts(server, "new"), ["before any sample"])

    def test_they_expire_like_samples(self):
        server = self.serve("--storage.retention.time", "30d")
        self.put(server, {"text": "old", "time": self.now - 10 * DAY_S}, {"text": "young", "time": self.now - DAY_S})
        status, why = send(server.url, "POST", None, {"text": "too old", "time": self.now - 31 * DAY_S})
        self.assertEqual(status, 400)
        self.assertIn("older than samples are kept", why)
        self.assertEqual(self.texts(server), ["old", "young"])
        server.stop()
        server = self.serve("--storage.retention.time", "5d")
        self.assertEqual(self.texts(server), ["young"])
        found = programs.ask(server.url, "query", query="count_over_time(lockstep_annotation[20d])")["result"]
        self.assertEqual([row["metric"]["text"] for row in found], ["young"])

    def test_more_than_the_limit_is_refused(self):
        server = self.serve()
        for first in range(0, 20_000, 1000):
            self.put(server, *({"id": str(first + i), "text": "x"} for i in range(1000)))
        status, why = send(server.url, "POST", None, {"text": "one more"})
        self.assertEqual(status, 422)
        self.assertIn("at most 20000 annotations", why)
        self.assertEqual(send(server.url, "POST", None, {"id": "7", "text": "changed"})[0], 200)
        self.put(server, {"text": "of another tenant"}, tenant="team")
        self.assertEqual(len(send(server.url, "GET")[1]), 1000)
        self.assertEqual(len(send(server.url, "GET", {"limit": 0})[1]), 10_000)


class ShownTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Recordings(cls).lockstep
        send(cls.server.url, "POST", None, [
            {"job": JOB, "id": "p", "kind": "profile", "text": "nsys of rank 1", "start": TIME_S, "end": TIME_S + 10,
             "first_step": 60, "last_step": 90, "labels": {"rank": 1}},
            {"job": "another", "text": "not of this job", "time": TIME_S}])

    def test_among_events_in_order_and_marked(self):
        events = programs.ask(self.server.url, "training/events", job=JOB)["events"]
        self.assertEqual([one["from"] for one in events], sorted(one["from"] for one in events))
        [annotated] = [one for one in events if one["annotation"] is not None]
        self.assertEqual((annotated["kind"], annotated["from"], annotated["to"], annotated["step"], annotated["ranks"],
                          annotated["words"], annotated["annotation"]["id"], annotated["annotation"]["last_step"]),
                         ("annotation", TIME_S, TIME_S + 10, 60, [1], "nsys of rank 1", "p", 90))

    def test_in_the_report(self):
        report = programs.ask(self.server.url, "training/report", job=JOB)
        self.assertIn("nsys of rank 1", [one["words"] for one in report["events"]["events"]])
        request = f"{self.server.url}/api/v1/training/report?job={JOB}&format=text"
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.assertRegex(answer.read().decode(), r"profile +60 +10 s +nsys of rank 1")

    def test_in_queries(self):
        result = programs.ask(self.server.url, "query_range", query=f'lockstep_annotation{{job="{JOB}"}}',
                              start=TIME_S - 30, end=TIME_S + 60, step=5)["result"]
        [series] = result
        self.assertEqual([time_s for time_s, _ in series["values"]], list(range(TIME_S, TIME_S + 25, 5)))
        self.assertEqual(series["metric"]["rank"], "1")


if __name__ == "__main__":
    unittest.main()
