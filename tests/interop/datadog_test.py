"""Datadog's client for Python, requests of version 2 of its API as documented, and its agent's
protobuf.

LOCKSTEP_PROGRAM names the server.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "support"))
import credentials
import datadog_payload
import programs
import pypi
from lockstep_server import Server

WITHIN_S = 120
TOKEN = "0123456789abcdef0123456789abcdef"


class DatadogTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-datadog-")
        self.addCleanup(folder.cleanup)
        web = pathlib.Path(folder.name) / "web.yml"
        web.write_text(f"lockstep_bearer_tokens:\n  agent: {{sha256: {credentials.digest(TOKEN)}}}\n"
                       f"  reader: {{sha256: {credentials.digest('reader')}}}\n"
                       "lockstep_roles:\n  - {token: agent, roles: [write]}\n  - {token: reader, roles: [read]}\n")
        self.server = Server.ready(pathlib.Path(folder.name), "--web.config.file", str(web))
        self.addCleanup(self.server.kill)

    def series(self, query):
        found = programs.ask_as(self.server.url, credentials.bearer("reader"), "query", query=query)["result"]
        return {tuple(sorted(row["metric"].items())): [float(value) for _, value in row["values"]] for row in found}

    def test_client_for_python(self):
        python = pypi.environment("clients", FOLDER / "client_requirements.txt")
        now_s = int(time.time())
        metrics = [{"metric": "train.step.loss", "points": [(now_s - 2, 2.5), (now_s - 1, 2.25)], "host": "n1",
                    "tags": ["job:llm", "canary"]},
                   {"metric": "train.tokens", "points": 7, "type": "count", "host": "n1"}]
        result = subprocess.run([str(python), "-I", str(FOLDER / "datadog_sender.py")], capture_output=True, text=True, timeout=WITHIN_S,
                                input=json.dumps({"url": self.server.url, "token": TOKEN, "metrics": metrics}))
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        self.assertEqual(json.loads(result.stdout), [{"status": "ok"}] * 2)
        self.assertEqual(self.series('{"train.step.loss"}[1m]'), {
            (("__name__", "train.step.loss"), ("canary", "no_label_value"), ("host", "n1"), ("job", "llm")): [2.5, 2.25]})
        self.assertEqual(self.series('{"train.tokens"}[1m]'), {(("__name__", "train.tokens"), ("host", "n1")): [7]})

    def test_version_two_and_tokens(self):
        connection = self.server.connect()
        self.addCleanup(connection.close)
        body = json.dumps({"series": [{"metric": "load", "type": 3, "points": [{"timestamp": int(time.time()), "value": 1.5}],
                                       "resources": [{"type": "host", "name": "n2"}], "tags": ["env:prod"]}]})
        for key, status in ((TOKEN, 202), ("reader", 403), ("other", 401)):
            with self.subTest(key=key):
                answer = connection.send("POST", "/datadog/api/v2/series", body,
                                         {"DD-API-KEY": key, "Content-Type": "application/json"})
                self.assertEqual(answer.status, status)
                answer = connection.send("GET", "/datadog/api/v1/validate", None, {"DD-API-KEY": key})
                self.assertEqual(answer.status, 401 if status == 401 else 200)
                # As the agent does; other paths do not accept a key in the URL.
                answer = connection.send("GET", f"/datadog/api/v1/validate?api_key={key}")
                self.assertEqual(answer.status, 401 if status == 401 else 200)
                answer = connection.send("POST", f"/datadog/api/v2/series?api_key={key}", body, {"Content-Type": "application/json"})
                self.assertEqual(answer.status, 401)
        self.assertEqual(self.series("load[1m]"), {(("__name__", "load"), ("env", "prod"), ("host", "n2")): [1.5]})

    def test_protobuf_of_the_agent(self):
        connection = self.server.connect()
        self.addCleanup(connection.close)
        now_s = int(time.time())
        for name, compress in (("identity", bytes), ("deflate", zlib.compress), ("gzip", gzip.compress)):
            body = datadog_payload.message([
                (f"system.{name}", [(now_s - 1, 0.5), (now_s, 2)], ["env:prod"], [("host", "n3"), ("device", "sda")])])
            with self.subTest(encoding=name):
                answer = connection.send("POST", "/datadog/api/v2/series", compress(body), {
                    "DD-API-KEY": TOKEN, "Content-Type": "application/x-protobuf", "Content-Encoding": name})
                self.assertEqual(answer.status, 202, answer.text)
                self.assertEqual(self.series(f'{{"system.{name}"}}[1m]'), {
                    (("__name__", f"system.{name}"), ("device", "sda"), ("env", "prod"), ("host", "n3")): [0.5, 2]})

    def test_what_the_agent_tells_besides(self):
        connection = self.server.connect()
        self.addCleanup(connection.close)
        for path, status in (("api/beta/sketches", 400), ("intake/", 200), ("intake", 200),
                             ("api/v1/check_run", 202), ("api/v1/metadata", 200)):
            with self.subTest(path=path):
                for key, expected in ((TOKEN, status), ("reader", 403), ("other", 401)):
                    answer = connection.send("POST", f"/datadog/{path}", b"{}", {
                        "DD-API-KEY": key, "Content-Type": "application/json"})
                    self.assertEqual(answer.status, expected)
        answer = connection.send("POST", "/datadog/api/beta/sketches", b"\n\0", {
            "DD-API-KEY": TOKEN, "Content-Type": "application/x-protobuf"})
        self.assertEqual(json.loads(answer.body), {"errors": ["sketches of distributions are not supported; send series instead"]})


if __name__ == "__main__":
    unittest.main()
