"""Pages of other sites can do nothing to a server that a user's browser can reach."""

import http.client
import json
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import credentials  # noqa: E402
import lockstep_server  # noqa: E402
import programs  # noqa: E402
import remote_write  # noqa: E402

WITHIN_S = 60
EVIL = {"Origin": "http://evil.example"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
STEP = b'{"job":"forged","rank":0,"step":1,"loss":2}\n'


class AccessTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *flags):
        server = lockstep_server.Server.ready(self.folder, "--web.enable-admin-api", "--web.enable-lifecycle", *flags)
        self.addCleanup(server.kill)
        return server

    def ask(self, server, method, path, headers=(), body=None):
        connection = http.client.HTTPConnection(server.address, timeout=WITHIN_S)
        self.addCleanup(connection.close)
        connection.request(method, path, body, dict(headers))
        return lockstep_server.Answer(connection.getresponse())


class PageTest(AccessTest):
    def test_pages_of_others_change_nothing(self):
        server = self.start()
        now_ms = int(time.time() * 1000)
        series = [({"__name__": "up", "job": "a"}, [(now_ms, 1)])]
        self.assertEqual(self.ask(server, "POST", remote_write.PATH, remote_write.HEADERS, remote_write.body(series)).status,
                         204)
        forged = remote_write.body([({"__name__": "forged"}, [(now_ms, 1)])])
        changes = (("POST", remote_write.PATH, forged), ("POST", "/v1/metrics", b"{}"),
                   ("POST", "/api/v1/push/log?job=forged&rank=0", STEP), ("POST", "/api/v1/push/steps", STEP),
                   ("POST", "/api/v1/training/register", b'{"job":"forged","rank":0}'),
                   ("POST", "/api/v1/admin/tsdb/delete_series", b"match[]=up"), ("PUT", "/api/v1/admin/tsdb/snapshot", b""),
                   ("POST", "/api/v1/admin/backup", b""), ("POST", "/-/reload", b""),
                   ("DELETE", "/api/v1/status/active_queries/1", b""))
        kinds = ({}, {"Content-Type": "text/plain"}, FORM, {"Content-Type": "multipart/form-data; boundary=x"},
                 remote_write.HEADERS)
        foreign = (EVIL, {"Origin": "null"}, {"Origin": f"http://localhost:{server.address.split(':')[1]}0"},
                   {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"})
        for method, path, body in changes:
            for kind in kinds:
                for page in foreign:
                    answer = self.ask(server, method, path, {**kind, **page}, body)
                    self.assertEqual(answer.status, 403, (method, path, kind, page))
                    self.assertIn("may not make changes", answer.text)
        names = json.loads(self.ask(server, "GET", "/api/v1/label/__name__/values").body)["data"]
        self.assertEqual(names, ["up"])
        own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
        self.assertEqual(self.ask(server, "POST", "/api/v1/query", {**FORM, **own}, b"query=1").status, 200)
        self.assertEqual(self.ask(server, "POST", "/-/reload", own).status, 200)

    def test_pages_of_others_read_nothing_unless_they_may(self):
        def allowed(server, method="GET"):
            return self.ask(server, method, "/api/v1/query?query=1", EVIL).headers["Access-Control-Allow-Origin"]
        server = self.start()
        self.assertEqual((allowed(server), allowed(server, "OPTIONS")), (None, None))
        server.stop()
        server = self.start("--web.cors.origin", "http://evil\\.example")
        self.assertEqual(allowed(server), EVIL["Origin"])
        self.assertEqual(self.ask(server, "POST", "/-/reload", EVIL).status, 200)
        server.stop()
        server = self.start("--web.cors.origin", ".*")
        self.assertEqual(allowed(server), "*")
        self.assertEqual(self.ask(server, "POST", "/api/v1/query", {**FORM, **EVIL}, b"query=1").status, 200)
        self.assertEqual(self.ask(server, "POST", "/-/reload", EVIL).status, 403)

    def test_names_of_others_lead_nowhere(self):
        def status(server, host):
            return self.ask(server, "GET", "/api/v1/query?query=1", {"Host": host}).status
        server = self.start("--web.external-url", "https://lockstep.example/")
        for host in ("localhost:9009", "127.0.0.1", "[::1]:9009", "lockstep.example"):
            self.assertEqual(status(server, host), 200, host)
        for host in ("evil.example", "evil.example:9009", "localhost.evil.example"):
            self.assertEqual(status(server, host), 403, host)
        server.stop()
        server = self.start("--web.allowed-hosts", "metrics.example,other.example")
        self.assertEqual([status(server, host) for host in ("metrics.example", "other.example:1", "evil.example")],
                         [200, 200, 403])
        server.stop()
        server = self.start("--web.allowed-hosts", "*")
        self.assertEqual(status(server, "evil.example"), 200)

    def test_no_answer_is_sniffed_at(self):
        server = self.start()
        page = {"Accept": "text/html"}
        for method, path, headers in (("GET", "/", page), ("GET", "/assets/none.js", {}), ("GET", "/metrics", {}),
                                      ("GET", "/api/v1/query?query=<script>", {}), ("GET", "/nowhere", {}),
                                      ("POST", "/api/v1/write", {"Content-Type": "<script>"}), ("PATCH", "/", {}),
                                      ("OPTIONS", "/", {}), ("POST", "/-/reload", EVIL), ("GET", "/-/healthy", {}),
                                      ("GET", "/" + 10_000 * "a" + 100_000 * "b", {})):
            answer = self.ask(server, method, path, headers)
            self.assertEqual(answer.headers.get_all("X-Content-Type-Options"), ["nosniff"], path[:100])


class AuditTest(AccessTest):
    def test_changes_and_refusals_are_noted(self):
        (self.folder / "web.yml").write_text(credentials.tokens_by_role())
        log = self.folder / "audit.log"
        grpc_address = programs.free_address()
        server = self.start("--web.config.file", str(self.folder / "web.yml"), "--web.audit-log", str(log),
                            "--otlp-grpc", grpc_address)

        tenants = []

        def ask(method, path, token, headers=()):
            tenants.append(dict(headers).get("X-Scope-OrgID"))
            return self.ask(server, method, path, {**credentials.bearer(token), **dict(headers)}).status
        ask("GET", "/api/v1/query?query=1", "read")
        ask("POST", "/api/v1/query?query=1", "read")
        ask("GET", "/metrics", "metrics")
        ask("GET", "/-/ready", None)
        tenants.clear()
        of_team = {"X-Scope-OrgID": "team-a"}.items()
        noted = [("admin", "POST", "/api/v1/admin/tsdb/delete_series", ask("POST", "/api/v1/admin/tsdb/delete_series?match[]=up",
                                                                           "admin")),
                 ("push", "POST", "/api/v1/push/steps", ask("POST", "/api/v1/push/steps", "push")),
                 ("", "GET", "/api/v1/query", ask("GET", "/api/v1/query?query=1", credentials.WRONG, of_team)),
                 ("", "GET", "/api/v1/query", ask("GET", "/api/v1/query?query=1", None)),
                 ("read", "POST", "/-/reload", ask("POST", "/-/reload", "read")),
                 ("", "POST", "/-/reload", ask("POST", "/-/reload", "admin", EVIL)),
                 ("write", "POST", "/api/v1/write", ask("POST", "/api/v1/write", "write", of_team)),
                 ("read", "POST", "/-/reload", ask("POST", "/-/reload", "read", of_team))]
        self.assertEqual([status for *_, status in noted], [204, 200, 401, 401, 403, 403, 403, 403])
        for token, who, status, tenant in ((None, "", 401, "team-a"), ("read", "read", 403, "team-a"),
                                           ("write", "write", 200, None), ("write", "write", 403, "team-a"),
                                           ("admin", "admin", 200, "team-a")):
            credentials.grpc_status(grpc_address, token, metadata={"X-Scope-OrgID": tenant} if tenant else {})
            noted.append((who, "GRPC", "/v1/metrics", status))
            tenants.append(tenant)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([(line["who"], line["method"], line["route"], line["status"]) for line in lines], noted)
        self.assertEqual([line.get("tenant") for line in lines], tenants)
        self.assertEqual(set(lines[0]), {"time", "who", "from", "method", "route", "status"})
        self.assertTrue(all("127.0.0.1" in line["from"] for line in lines))
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        self.assertNotIn(credentials.WRONG, log.read_text())


if __name__ == "__main__":
    unittest.main()
