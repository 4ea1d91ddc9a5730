"""What must stay private: files, secrets in URLs, and control characters in labels."""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import lockstep_server  # noqa: E402
import programs  # noqa: E402

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60
CONFIG = """
global: {scrape_interval: 1s, evaluation_interval: 1s}
scrape_configs:
- job_name: targets
  params: {token: [PARAM-SECRET], module: [shown]}
  static_configs: [{targets: ["127.0.0.1:1"]}]
- job_name: discovered
  http_sd_configs: [{url: "http://user:SD-SECRET@127.0.0.1:1/sd?api_key=KEY-SECRET"}]
rule_files: [rules.yml]
alerting:
  webhooks: [{url: "http://user:HOOK-SECRET@127.0.0.1:1/services/PATH-SECRET"}]
"""
RULES = "groups: [{name: g, rules: [{alert: Always, expr: vector(1)}]}]\n"


class SecretsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *flags):
        server = lockstep_server.Server.ready(self.folder, *flags)
        self.addCleanup(server.kill)
        connection = server.connect()
        self.addCleanup(connection.close)
        return server, connection

    def test_files_are_the_users_alone(self):
        data = self.folder / "data"
        data.mkdir(mode=0o755)
        server, connection = self.start("--web.enable-admin-api")
        series = [({"__name__": "up", "job": "a"}, [(int(time.time() * 1000), 1)])]
        self.assertEqual(connection.write(series).status, 204)
        self.assertEqual(connection.post("/api/v1/admin/backup").status, 200)
        self.assertEqual(server.stop(), 0)
        paths = [data, *data.rglob("*")]
        self.assertGreater(len(paths), 10)
        self.assertEqual([str(path) for path in paths if path.stat().st_mode & 0o077], [])

    def test_secrets_of_the_configuration_are_told_nowhere(self):
        (self.folder / "rules.yml").write_text(RULES)
        (self.folder / "lockstep.yml").write_text(CONFIG)
        server, connection = self.start("--config", str(self.folder / "lockstep.yml"))
        for said in ("target discovery failed", "an alert receiver did not accept alerts"):
            programs.wait_until(lambda said=said: said in server.log, said, WITHIN_S)
        pages = {path: connection.get(path).text for path in
                 ("/api/v1/targets", "/api/v1/status/config", "/api/v1/status/flags", "/api/v1/alertmanagers",
                  "/api/v1/scrape_pools", "/api/v1/rules", "/metrics")}
        for name, text in (*pages.items(), ("the log", server.log)):
            self.assertNotIn("-SECRET", text, name)
        target = json.loads(pages["/api/v1/targets"])["data"]["activeTargets"][0]
        self.assertIn("module=shown", target["scrapeUrl"])
        self.assertIn("token=xxxxx", target["scrapeUrl"])
        self.assertEqual(target["discoveredLabels"]["__param_token"], "xxxxx")

    def test_labels_say_nothing_to_a_terminal(self):
        server, connection = self.start()
        now_ms = int(time.time() * 1000)
        evil = "a\x1b]0;x\x07\x1b[31m\r\u009b31m\u202e"
        self.assertEqual(connection.write([({"__name__": "up", "job": evil}, [(now_ms, 1)])]).status, 204)
        post = http.client.HTTPConnection(server.address, timeout=WITHIN_S)
        self.addCleanup(post.close)
        job = "j\x1b[31m"
        post.request("POST", "/api/v1/push/steps",
                     json.dumps({"job": job, "rank": 0, "step": 1, "loss": 2, "run": evil}).encode() + b"\n")
        self.assertEqual(post.getresponse().status, 200)
        for verb in (("query", "up"), ("query", f'label_replace(vector(1), "x", {json.dumps(evil)}, "", "")'), ("query", '"\\x1b[31m"'),
                     ("query", "no query \x1b[31m("), ("jobs",), ("ranks", job), ("report", job), ("report", evil)):
            result = subprocess.run([PROGRAM, verb[0], "--url", server.url, *verb[1:]], capture_output=True, timeout=WITHIN_S)
            said = (result.stdout + result.stderr).decode()
            self.assertTrue(said, verb)
            self.assertFalse([c for c in said if c in "\x1b\x07\r\u009b\u202e"], (verb, said))


if __name__ == "__main__":
    unittest.main()
