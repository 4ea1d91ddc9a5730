"""Tenants: every path with every method, role and tenant. No tenant sees or changes another's data.

LOCKSTEP_PROGRAM names the server.
"""

import http.client
import itertools
import json
import pathlib
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import credentials  # noqa: E402
import lockstep_server  # noqa: E402
import otlp  # noqa: E402
import programs  # noqa: E402
import remote_write  # noqa: E402

WITHIN_S = 60
METHODS = ("GET", "POST", "PUT", "DELETE")
IN_PATHS = {"{name}": "job", "{id}": "4711", "{file}": "none.js", "{group}": "bmlnaHRseQ"}
GRPC_OK, GRPC_INVALID_ARGUMENT, GRPC_PERMISSION_DENIED = 0, 3, 7
WRITING = ("write", "push")
# What the Datadog agent sends besides series is not stored for any tenant.
KEEPS_NOTHING = ("/datadog/api/beta/sketches", "/datadog/api/v1/check_run", "/datadog/api/v1/metadata",
                 "/datadog/intake", "/datadog/intake/")
OF_THE_SERVER = ("/metrics", "/api/v1/status/self_metrics")
OF_ONE_TENANT = ("/api/v1/status/tsdb", "/api/v1/status/cardinality", "/api/v1/admin/tsdb/delete_series")

# The roles of tokens, by the beginning of the token's name.
GRANTS = {**{role: {role} for role in credentials.ROLES}, "cross": {"read", "cross-tenant"}}
# The tenants of a token, by the end of its name.
BINDINGS = {
    "one": ("tenants: [a]", {"a"}),
    "two": ("tenants: [a, b]", {"a", "b"}),
    "unnamed": ("", {"default"}),
    "all": ('tenants: ["*"]', None),
}
HEADERS = (None, "a", "b", "c", "default", "a|b", "a|c", "a/b", "a|")


def token_of(role, binding):
    return f"{role}_{binding}"


def web_config():
    tokens, roles = [], []
    for role, binding in itertools.product(GRANTS, BINDINGS):
        token = token_of(role, binding)
        tokens.append(f"  {token}: {{sha256: {credentials.digest(token)}}}")
        bound = BINDINGS[binding][0]
        roles.append(f"  - {{token: {token}, roles: [{', '.join(sorted(GRANTS[role]))}]{', ' + bound if bound else ''}}}")
    return "\n".join(["lockstep_bearer_tokens:", *tokens, "lockstep_roles:", *roles, ""])


def with_tenant(header):
    return {} if header is None else {"X-Scope-OrgID": header}


def expected(path, role_of_path, reach, role, binding, header):
    """The status if the tenant is rejected, or None if the handler decides."""
    if role_of_path == "none":
        return None
    may = None if (role, binding) == ("admin", "unnamed") else BINDINGS[binding][1]
    if header is None:
        if binding == "two":
            return 403  # ambiguous
        named = ["a"] if binding == "one" else ["default"]
    else:
        named = header.split("|")
        if "" in named or "/" in header:
            return 400
    if may is not None and not set(named) <= may:
        return 403
    if len(named) > 1 and role not in ("cross", "admin"):
        return 403
    if reach == "all-tenants" and may is not None:
        return 403
    if path in KEEPS_NOTHING:
        return None
    if (role_of_path in WRITING or path in OF_ONE_TENANT) and len(named) > 1:
        return 400
    return None


class MatrixTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "web.yml").write_text(web_config())
        cls.grpc_address = programs.free_address()
        cls.server = lockstep_server.Server.ready(
            cls.folder, "--web.config.file", str(cls.folder / "web.yml"), "--web.enable-admin-api",
            "--web.enable-lifecycle", "--otlp-grpc", cls.grpc_address)
        cls.addClassCleanup(cls.server.kill)

    def test_http(self):
        roles, reach = credentials.roles_of_paths(), credentials.reach_of_paths()
        of_methods = credentials.roles_of_methods()
        connection = http.client.HTTPConnection(self.server.address, timeout=WITHIN_S)
        self.addCleanup(connection.close)
        wrong = []
        for path, method, role, binding, header in itertools.product(
                roles, METHODS, GRANTS, BINDINGS, HEADERS):
            required = of_methods.get((path, method), roles[path])
            if not GRANTS[role] & {required, "admin"} or path in OF_THE_SERVER:
                continue  # MatrixTest of matrix_test.py
            asked = path
            for name, value in IN_PATHS.items():
                asked = asked.replace(name, value)
            asked += credentials.QUICK.get(path, "")
            connection.request(method, asked, None,
                               {**credentials.bearer(token_of(role, binding)), **with_tenant(header)})
            response = connection.getresponse()
            is_endless = path in credentials.ENDLESS and response.status == 200
            text = b"" if is_endless else response.read()
            if is_endless:
                connection.close()
            if response.status == 405:
                continue
            wanted = expected(path, required, reach[path], role, binding, header)
            is_refused = response.status == 403 or (response.status == 400 and (b"X-Scope-OrgID" in text or
                                                                                b"one tenant" in text))
            if (response.status if is_refused else None) != wanted or response.status >= 500:
                wrong.append((method, path, role, binding, header, response.status, wanted, text[:80]))
        self.assertEqual(wrong[:20], [])

    def test_grpc(self):
        for role, binding, header in itertools.product(("write", "admin", "read"), BINDINGS, HEADERS):
            status = credentials.grpc_status(self.grpc_address, token_of(role, binding),
                                             metadata=with_tenant(header))
            wanted = GRPC_PERMISSION_DENIED if role == "read" else {
                None: GRPC_OK, 400: GRPC_INVALID_ARGUMENT, 403: GRPC_PERMISSION_DENIED,
            }[expected("/v1/metrics", "write", "some", role, binding, header)]
            with self.subTest(role=role, binding=binding, header=header):
                self.assertEqual(status, wanted)


class TenantServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.now_s = int(time.time())

    def start(self, *flags, web=None):
        if web is not None:
            (self.folder / "web.yml").write_text(web)
            flags = ("--web.config.file", str(self.folder / "web.yml"), *flags)
        self.server = lockstep_server.Server.ready(self.folder, *flags)
        self.addCleanup(self.server.kill)

    def ask(self, method, path, tenant=None, body=None, headers=(), token=None):
        connection = http.client.HTTPConnection(self.server.address, timeout=WITHIN_S)
        self.addCleanup(connection.close)
        connection.request(method, path, body,
                           {**with_tenant(tenant), **credentials.bearer(token), **dict(headers)})
        return lockstep_server.Answer(connection.getresponse())

    def get(self, path, tenant=None, token=None, **parameters):
        answer = self.ask("GET", f"{path}?{urllib.parse.urlencode(parameters, doseq=True)}", tenant, token=token)
        self.assertEqual(answer.status, 200, answer.text)
        return json.loads(answer.body)["data"]

    def write(self, tenant, series, token=None):
        return self.ask("POST", remote_write.PATH, tenant, remote_write.body(series), remote_write.HEADERS, token)

    def up(self, job, value, **labels):
        return {"__name__": "up", "job": job, **labels}, [(self.now_s * 1000 - 1000, value)]

    def query(self, text, tenant=None, token=None):
        result = self.get("/api/v1/query", tenant, token, query=text, time=self.now_s)["result"]
        return sorted((json.dumps(one["metric"], sort_keys=True), one["value"][1]) for one in result)


class IsolationTest(TenantServer):
    def fill(self):
        for i, tenant in enumerate((None, "a", "b")):
            self.assertEqual(self.write(tenant, [self.up("train", i), self.up(f"only-{i}", i)]).status, 204)

    def test_everybody_sees_and_changes_their_own(self):
        self.start("--web.enable-admin-api")
        self.fill()
        for i, tenant in enumerate((None, "a", "b")):
            self.assertEqual(self.query("sum(up)", tenant), [("{}", str(2 * i))])
            jobs = [f"only-{i}", "train"]
            self.assertEqual(self.get("/api/v1/label/job/values", tenant), jobs)
            self.assertEqual(self.get("/api/v1/labels", tenant), ["__name__", "job"])
            self.assertEqual([one["job"] for one in self.get("/api/v1/series", tenant, **{"match[]": "up"})], jobs)
            counted = self.get("/api/v1/status/tsdb", tenant)
            self.assertEqual(counted["headStats"]["numSeries"], 2)
            self.assertEqual(counted["labelValueCountByLabelName"],
                             [{"name": "job", "value": 2}, {"name": "__name__", "value": 1}])
            cardinality = self.get("/api/v1/status/cardinality", tenant)
            self.assertEqual([row["name"] for row in cardinality["seriesCountByJob"]], jobs)
            self.assertEqual([row["name"] for row in cardinality["churn"]["last1h"]["byJob"]], jobs)
        self.assertEqual(self.ask("POST", "/api/v1/admin/tsdb/delete_series?match[]=up", "a").status, 204)
        self.assertEqual([self.query("count(up)", tenant) for tenant in (None, "a", "b")],
                         [[("{}", "2")], [], [("{}", "2")]])

    def test_after_a_restart_too(self):
        self.start()
        self.fill()
        metadata = b'{"job": "train", "rank": 0, "step": 7, "loss": 1.5}\n'
        self.assertEqual(self.ask("POST", "/api/v1/push/steps?stream=s", "a", metadata).status, 200)
        offsets = json.dumps(otlp.json_object([({"__name__": "points", "job": "o"}, [(self.now_s * 1000, 1)])]))
        self.assertEqual(self.ask("POST", "/v1/metrics", "b", offsets.encode(),
                                  {"Content-Type": "application/json"}).status, 200)
        self.assertEqual(list(self.get("/api/v1/metadata", "b", metric="points")), ["points"])
        self.assertEqual(self.server.stop(), 0)
        self.start()
        self.assertEqual(self.query("sum(up)", "a"), [("{}", "2")])
        self.assertEqual(self.query("sum(up)"), [("{}", "0")])
        self.assertEqual(list(self.get("/api/v1/metadata", "b", metric="points")), ["points"])
        self.assertEqual(self.get("/api/v1/metadata", "a", metric="points"), {})
        # The stream continues where it ended, only for its own tenant.
        for tenant, status in (("a", 409), ("b", 200)):
            answer = self.ask("POST", "/api/v1/push/steps?stream=s&offset=0", tenant, b"")
            self.assertIn(answer.status, (200, 409))

    def test_dumps_of_tenants_are_theirs_alone(self):
        self.start()
        dump = json.dumps({"version": "2.10", "entries": [{
            "record_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 1,
            "profiling_name": "nccl:all_reduce", "state": "scheduled"}]}).encode()
        self.assertEqual(self.ask("POST", "/api/v1/push/dump?job=secret&rank=0", "a", dump).status, 200)
        for _ in range(2):
            self.assertEqual(self.get("/api/v1/training/hang", "a", job="secret")["dumps"], 1)
            for tenant in (None, "b"):
                self.assertEqual(self.ask("GET", "/api/v1/training/hang?job=secret", tenant).status, 404)
            # They survive a restart.
            self.assertEqual(self.server.stop(), 0)
            self.start()

    def test_jobs_of_tenants_are_answered_for_them_alone(self):
        self.start()
        steps = "".join(json.dumps({"job": "secret", "rank": rank, "step": step, "loss": 1.0,
                                    "ts_ms": self.now_s * 1000 - 100_000 + 1000 * step}) + "\n"
                        for step in range(50) for rank in range(2))
        self.assertEqual(self.ask("POST", "/api/v1/push/steps", "a", steps.encode()).status, 200)
        jobs = self.get("/api/v1/training/jobs", "a")
        self.assertIn("secret", json.dumps(jobs))
        for tenant in (None, "b"):
            self.assertNotIn("secret", json.dumps(self.get("/api/v1/training/jobs", tenant)))
            self.assertEqual(self.ask("GET", "/api/v1/training/stragglers?job=secret", tenant).status, 404)
            self.assertEqual(self.query("lockstep_job_state", tenant), [])
        self.assertNotEqual(self.query("lockstep_job_state", "a"), [])
        self.assertNotEqual(self.query("lockstep_job_state", "a|b"), [])

    def test_nobody_writes_the_label_of_tenants(self):
        self.start()
        self.fill()
        series = {"\0": "a", **self.up("train", 9)[0]}
        refused = self.write(None, [(series, [(self.now_s * 1000, 9)])])
        self.assertEqual(refused.status, 400)
        self.assertIn("reserved", refused.text)
        self.assertEqual(self.query("sum(up)", "a"), [("{}", "2")])

    def test_several_tenants_are_read_together(self):
        self.start()
        self.fill()
        self.assertEqual(self.query('up{job="train"}', "a|b"), [
            ('{"__name__": "up", "__tenant_id__": "a", "job": "train"}', "1"),
            ('{"__name__": "up", "__tenant_id__": "b", "job": "train"}', "2")])
        self.assertEqual(self.query('sum by (__tenant_id__) (up{__tenant_id__!="a"})', "a|b|default"), [
            ('{"__tenant_id__": "b"}', "4"), ('{"__tenant_id__": "default"}', "0")])
        self.assertEqual(self.get("/api/v1/label/__tenant_id__/values", "b|a"), ["a", "b"])
        self.assertEqual(self.write("a|b", [self.up("x", 1)]).status, 400)

    def test_rules_of_tenants(self):
        (self.folder / "rules.yml").write_text(
            "groups:\n"
            "  - {name: a, tenant: a, interval: 1s, rules: [{record: total, expr: sum(up)}, {alert: Up, expr: up > 0}]}\n"
            "  - {name: all, interval: 1s, rules: [{record: total, expr: sum(up) + 100}]}\n")
        (self.folder / "lockstep.yml").write_text("rule_files: [rules.yml]\n")
        self.start("--config", str(self.folder / "lockstep.yml"))
        self.now_s += 10
        self.fill()

        def is_recorded():
            return self.query("last_over_time(total[1m])", "a") and self.query("last_over_time(total[1m])")
        programs.wait_until(is_recorded, "rules of both are evaluated", WITHIN_S)
        self.assertEqual(self.query("last_over_time(total[1m])", "a"), [('{"__name__": "total"}', "2")])
        self.assertEqual(self.query("last_over_time(total[1m])"), [('{"__name__": "total"}', "100")])
        self.assertEqual([group["name"] for group in self.get("/api/v1/rules", "a")["groups"]], ["a"])
        self.assertEqual([group["name"] for group in self.get("/api/v1/rules")["groups"]], ["all"])
        # Evaluated after what the group records.
        programs.wait_until(lambda: len(self.get("/api/v1/alerts", "a")["alerts"]) == 2, "both fire", WITHIN_S)
        self.assertEqual(self.get("/api/v1/alerts")["alerts"], [])

    def test_retention_and_limits_of_tenants(self):
        (self.folder / "lockstep.yml").write_text(
            "storage: {retention: {rules: [{tenant: short, keep: 1h}]}}\n"
            "tenants: {limits: [{tenant: few, max_series: 3}, {tenant: slow, max_samples_per_second: 2}]}\n")
        self.start("--config", str(self.folder / "lockstep.yml"))
        old = [(self.up("train", 1)[0], [((self.now_s - 7200) * 1000, 1)])]
        self.assertEqual(self.write(None, old).status, 204)
        self.assertEqual(self.write("short", old).status, 400)
        series = [self.up("train", 1, rank=str(rank)) for rank in range(5)]
        refused = self.write("few", series)
        self.assertEqual(refused.status, 400)
        self.assertIn("3 series", refused.text)
        self.assertEqual(self.query("count(up)", "few"), [("{}", "3")])
        self.assertEqual(self.write("other", series).status, 204)
        self.assertEqual(self.write("slow", series).status, 204)
        self.assertEqual(self.write("slow", series).status, 429)
        self.assertEqual(self.write("other", series).status, 204)


class UnknownTenantsTest(TenantServer):
    """A tenant comes into being with its first stored sample: queries and rejected writes create
    none.
    """

    def is_kept(self, tenant):
        """Whether any file of the store contains the name."""
        files = [path for path in (self.folder / "data").rglob("*") if path.is_file()]
        self.assertTrue(files)
        return any(tenant.encode() in path.read_bytes() for path in files)

    def test_who_brings_nothing_is_nobody(self):
        (self.folder / "rules.yml").write_text(
            "groups: [{name: g, tenant: nobody-rules, interval: 1s, rules: [{record: r, expr: absent_metric}]}]\n")
        (self.folder / "lockstep.yml").write_text("rule_files: [rules.yml]\n")
        grpc_address = programs.free_address()
        self.start("--config", str(self.folder / "lockstep.yml"), "--otlp-grpc", grpc_address)
        old_ms = (self.now_s - 90 * 86400) * 1000
        old = otlp.json_object([({"__name__": "points", "job": "o"}, [(old_ms, 1)])])
        as_json = {"Content-Type": "application/json"}.items()
        steps, log = "/api/v1/push/steps", "/api/v1/push/log?format=jsonl"
        rows = (
            ("read", "GET", "/api/v1/query?query=up", None, (), 200),
            ("write", "POST", remote_write.PATH, remote_write.body([]), remote_write.HEADERS, 204),
            ("old", "POST", remote_write.PATH, remote_write.body([({"__name__": "up"}, [(old_ms, 1)])]),
             remote_write.HEADERS, 400),
            ("unnamed", "POST", remote_write.PATH, remote_write.body([({"job": "j"}, [(self.now_s * 1000, 1)])]),
             remote_write.HEADERS, 400),
            ("broken", "POST", remote_write.PATH, b"no snappy", remote_write.HEADERS, 400),
            ("otlp", "POST", "/v1/metrics", b"", {"Content-Type": "application/x-protobuf"}.items(), 200),
            ("otlp-old", "POST", "/v1/metrics", json.dumps(old).encode(), as_json, 200),
            ("steps", "POST", steps, b"", (), 200),
            ("steps-stream", "POST", steps + "?stream=s&offset=0", b"", (), 200),
            ("steps-broken", "POST", steps, b"broken\n", (), 400),
            ("steps-old", "POST", steps, b'{"job": "j", "step": 1, "time": %d, "loss": 1}\n' % (old_ms // 1000), (), 400),
            ("log", "POST", log, b"chatter\n", (), 200),
            ("register", "POST", "/api/v1/training/register", b"{}", as_json, 400),
            ("dump", "POST", "/api/v1/push/dump?job=j&rank=0", b"no dump", (), 400),
        )
        for name, method, path, body, headers, status in rows:
            answer = self.ask(method, path, f"nobody-{name}", body, headers)
            with self.subTest(name=name):
                self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(credentials.grpc_status(grpc_address, None, metadata=with_tenant("nobody-grpc")), GRPC_OK)
        self.assertEqual(self.write("somebody", [self.up("train", 1)]).status, 204)
        self.assertEqual(self.ask("POST", log + "&stream=s&offset=0", "somebody-else", b"chatter\n").status, 200)
        self.assertEqual(credentials.grpc_status(
            grpc_address, None, otlp.protobuf([({"__name__": "points", "job": "o"}, [(self.now_s * 1000, 1)])]),
            metadata=with_tenant("somebody-by-grpc")), GRPC_OK)
        for tenant in ("somebody", "somebody-else", "somebody-by-grpc"):
            self.assertTrue(self.is_kept(tenant), tenant)
        self.assertFalse(self.is_kept("nobody-"))

    def test_refused_writes_leave_room_for_others(self):
        self.start()
        old = [({"__name__": "up"}, [((self.now_s - 90 * 86400) * 1000, 1)])]
        connection = http.client.HTTPConnection(self.server.address, timeout=WITHIN_S)
        self.addCleanup(connection.close)
        for i in range(1001):
            connection.request("POST", remote_write.PATH, remote_write.body(old),
                               {**remote_write.HEADERS, **with_tenant(f"nobody-{i}")})
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, 400, i)
        self.assertEqual(self.write("somebody", [self.up("train", 1)]).status, 204)
        self.assertEqual(self.query("sum(up)", "somebody"), [("{}", "1")])
        self.server.kill()
        self.start()
        self.assertEqual(self.query("sum(up)", "somebody"), [("{}", "1")])
        self.assertEqual(self.query("sum(up)"), [])


class ReaderOfJobsTest(TenantServer):
    WEB = f"""
lockstep_bearer_tokens:
  admin: {{sha256: {credentials.digest("admin")}}}
  team: {{sha256: {credentials.digest("team")}}}
lockstep_roles:
  - {{token: admin, roles: [admin]}}
  - {{token: team, roles: [read, push], jobs: "llm-.*"}}
"""

    def test_sees_its_jobs_alone(self):
        self.start(web=self.WEB)
        steps = "".join(json.dumps({"job": job, "rank": rank, "step": step, "loss": 1.0,
                                    "ts_ms": self.now_s * 1000 - 100_000 + 1000 * step}) + "\n"
                        for step in range(50) for rank in range(2) for job in ("llm-1", "secret"))
        self.assertEqual(self.ask("POST", "/api/v1/push/steps", None, steps.encode(), token="admin").status, 200)
        series = [self.up("llm-1", 1), self.up("secret", 2), ({"__name__": "up"}, [(self.now_s * 1000, 4)])]
        self.assertEqual(self.write(None, series, "admin").status, 204)
        self.assertEqual(self.query("sum(up)", token="team"), [("{}", "1")])
        self.assertEqual(self.query("sum(up)", token="admin"), [("{}", "7")])
        self.assertEqual(self.query('up{job="secret"} or up{job!="llm-1"}', token="team"), [])
        self.assertEqual(self.get("/api/v1/label/job/values", token="team"), ["llm-1"])
        for path, parameters in (("/api/v1/series", {"match[]": '{__name__=~".+"}'}),
                                 ("/api/v1/training/jobs", {}), ("/api/v1/status/cardinality", {}),
                                 ("/api/v1/status/tsdb", {})):
            found = json.dumps(self.get(path, token="team", **parameters))
            self.assertIn("llm-1", found, path)
            self.assertNotIn("secret", found, path)
        states = self.query("lockstep_job_state", token="team")
        self.assertTrue(states and all("secret" not in metric for metric, _ in states))
        self.assertEqual(self.ask("GET", "/api/v1/training/report?job=secret", token="team").status, 404)
        # Nor what ranks sent when they hung.
        for job, pushed, asked in (("secret", 403, 404), ("llm-1", 200, 200)):
            path = f"/api/v1/push/dump?job={job}&rank=0"
            stack = b"Thread 0x1 (most recent call first):\n  File \"a.py\", line 1 in f\n"
            self.assertEqual(self.ask("POST", path, None, stack, token="team").status, pushed)
            self.assertEqual(self.ask("POST", path, None, stack, token="admin").status, 200)
            self.assertEqual(self.ask("GET", f"/api/v1/training/hang?job={job}", token="team").status, asked)
        self.assertEqual(self.ask("GET", "/api/v1/training/report?job=llm-1", token="team").status, 200)
        for path in ("/api/v1/rules", "/api/v1/alerts", "/api/v1/targets"):
            self.assertEqual(self.ask("GET", path, token="team").status, 403)
        federated = self.ask("GET", "/federate?match[]=up", token="team").text
        self.assertIn("llm-1", federated)
        self.assertNotIn("secret", federated)


if __name__ == "__main__":
    unittest.main()
