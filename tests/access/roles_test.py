"""What a credential may do: jobs that it is bound to, certificates, and the effect of a reload."""

import base64
import http.client
import json
import os
import pathlib
import signal
import socket
import ssl
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import certificates  # noqa: E402
import credentials  # noqa: E402
import lockstep_server  # noqa: E402
import otlp  # noqa: E402
import programs  # noqa: E402
import remote_write  # noqa: E402

WITHIN_S = 60
GRPC_OK, GRPC_PERMISSION_DENIED, GRPC_UNAUTHENTICATED = 0, 7, 16

BOUND = f"""
lockstep_bearer_tokens:
  team_a: {{sha256: {credentials.digest("team_a")}}}
  team_b: {{sha256: {credentials.digest("team_b")}}}
  reader: {{sha256: {credentials.digest("reader")}}}
lockstep_roles:
  - {{token: team_a, roles: [write, push], jobs: "a-.*"}}
  - {{token: team_b, roles: [write, push], jobs: "b-.*"}}
  - {{token: reader, roles: [read]}}
"""


def now_ms():
    return int(time.time() * 1000)


def otlp_body(job):
    return json.dumps(otlp.json_object([({"__name__": "points", "job": job}, [(now_ms(), 1)])])).encode()


class AccessTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.web = self.folder / "web.yml"

    def start(self, web, *flags):
        self.web.write_text(web)
        server = lockstep_server.Server.ready(self.folder, "--web.config.file", str(self.web), *flags)
        self.addCleanup(server.kill)
        return server

    def ask(self, server, method, path, token=None, body=None, headers=(), tls=None):
        connection = (http.client.HTTPConnection(server.address, timeout=WITHIN_S) if tls is None else
                      http.client.HTTPSConnection(server.address, timeout=WITHIN_S, context=tls))
        self.addCleanup(connection.close)
        connection.request(method, path, body, {**credentials.bearer(token), **dict(headers)})
        return lockstep_server.Answer(connection.getresponse())


class BoundToJobsTest(AccessTest):
    def setUp(self):
        super().setUp()
        self.server = self.start(BOUND)

    def post(self, path, token, body, headers=()):
        return self.ask(self.server, "POST", path, token, body, headers)

    def jobs(self):
        answer = self.ask(self.server, "GET", "/api/v1/label/job/values", "reader")
        return json.loads(answer.body)["data"]

    def write(self, token, *jobs):
        series = [({"__name__": "up", **({"job": job} if job else {})}, [(now_ms(), 1)]) for job in jobs]
        return self.post(remote_write.PATH, token, remote_write.body(series), remote_write.HEADERS)

    def test_remote_write(self):
        self.assertEqual(self.write("team_a", "a-1", "a-2").status, 204)
        for jobs in (("b-1",), ("a-3", "b-1"), ("aa-1",), ("",), ("x a-1",)):
            refused = self.write("team_a", *jobs)
            self.assertEqual(refused.status, 403, jobs)
            self.assertIn("may not write the job", refused.text)
        self.assertEqual(self.jobs(), ["a-1", "a-2"])
        # Also for series that the store already knows.
        self.assertEqual(self.write("team_b", "b-1").status, 204)
        self.assertEqual(self.write("team_a", "b-1").status, 403)

    def test_otlp(self):
        for path in ("/v1/metrics", "/api/v1/otlp/v1/metrics"):
            kind = {"Content-Type": "application/json"}
            self.assertEqual(self.post(path, "team_a", otlp_body("a-otlp"), kind).status, 200)
            self.assertEqual(self.post(path, "team_a", otlp_body("b-otlp"), kind).status, 403)
        self.assertEqual(self.jobs(), ["a-otlp"])

    def steps(self, token, job, step, **parameters):
        query = "&".join(f"{key}={value}" for key, value in parameters.items())
        return self.post(f"/api/v1/push/steps?{query}", token,
                         json.dumps({"job": job, "rank": 0, "step": step, "loss": 1.5}).encode() + b"\n")

    def test_steps_and_logs(self):
        self.assertEqual(self.steps("team_a", "a-1", 1).status, 200)
        self.assertEqual(self.steps("team_a", "b-1", 1).status, 403)
        log = b'{"step": 1, "loss": 2.5}\n'
        self.assertEqual(self.post("/api/v1/push/log?format=jsonl&job=a-log&rank=0", "team_a", log).status, 200)
        self.assertEqual(self.post("/api/v1/push/log?format=jsonl&job=b-log&rank=0", "team_a", log).status, 403)
        self.assertEqual(self.jobs(), ["a-1", "a-log"])

    def test_what_was_refused_does_not_come_along_later(self):
        self.assertEqual(self.steps("team_a", "b-forged", 1, stream="s").status, 403)
        self.assertEqual(self.steps("team_a", "a-1", 2, stream="s").status, 200)
        # Another credential's stream of the same name is separate.
        self.assertEqual(self.steps("team_b", "b-1", 1, stream="s").status, 200)
        self.assertEqual(self.steps("team_a", "a-1", 3, stream="s").status, 200)
        self.assertEqual(self.jobs(), ["a-1", "b-1"])

    def test_registrations(self):
        def register(job):
            return self.post("/api/v1/training/register", "team_a",
                             json.dumps({"job": job, "rank": 0, "host": "node-1"}).encode())
        self.assertIn(register("a-1").status, (200, 204))
        self.assertEqual(register("b-1").status, 403)


class UserTest(AccessTest):
    # bcrypt of "wonder:land" with cost 4, by crypt(3).
    WEB = """
basic_auth_users:
  alice: $2b$04$abcdefghijklmnopqrstuuQrKcmYtR.hB8QQ39VAGLfHjVq9MEY1a
  bob: $2b$04$abcdefghijklmnopqrstuuQrKcmYtR.hB8QQ39VAGLfHjVq9MEY1a
lockstep_roles:
  - {user: alice, roles: [read]}
"""

    def test_roles_of_users(self):
        server = self.start(self.WEB)

        def statuses(user):
            headers = {"Authorization": "Basic " + base64.b64encode(user.encode()).decode()}
            return [self.ask(server, method, path, None, None, headers).status for method, path in
                    (("GET", "/api/v1/labels"), ("POST", remote_write.PATH), ("GET", "/-/ready"))]
        self.assertEqual(statuses("alice:wonder:land"), [200, 403, 200])
        self.assertEqual(statuses("bob:wonder:land"), [403, 403, 200])
        self.assertEqual(statuses("alice:wrong"), [401, 401, 200])
        self.assertEqual(statuses("carol:wonder:land"), [401, 401, 200])


class ReloadTest(AccessTest):
    @staticmethod
    def one_token(name):
        return (f"lockstep_bearer_tokens: {{{name}: {{sha256: {credentials.digest(name)}}}}}\n"
                f"lockstep_roles: [{{token: {name}, roles: [admin]}}]\n")

    def start_with_grpc(self):
        self.grpc_address = programs.free_address()
        return self.start(self.one_token("old"), "--web.enable-lifecycle", "--otlp-grpc", self.grpc_address)

    def status(self, server, token):
        return self.ask(server, "GET", "/api/v1/labels", token).status

    def test_by_request(self):
        server = self.start_with_grpc()
        self.assertEqual((self.status(server, "old"), self.status(server, "new")), (200, 401))
        self.web.write_text(self.one_token("new"))
        self.assertEqual(self.ask(server, "POST", "/-/reload", "new").status, 401)
        self.assertEqual(self.ask(server, "POST", "/-/reload", "old").status, 200)
        self.assertEqual((self.status(server, "old"), self.status(server, "new")), (401, 200))
        self.assertEqual(credentials.grpc_status(self.grpc_address, "old"), GRPC_UNAUTHENTICATED)
        self.assertEqual(credentials.grpc_status(self.grpc_address, "new"), GRPC_OK)

    def test_by_signal(self):
        server = self.start_with_grpc()
        self.web.write_text(self.one_token("new"))
        os.kill(server.pid, signal.SIGHUP)
        programs.wait_until(lambda: self.status(server, "new") == 200, "the new token is taken", WITHIN_S)
        self.assertEqual(self.status(server, "old"), 401)

    def test_a_file_that_is_wrong_changes_nothing(self):
        server = self.start_with_grpc()
        self.web.write_text(self.one_token("new") + "lockstep_rolls: []\n")
        answer = self.ask(server, "POST", "/-/reload", "old")
        self.assertEqual(answer.status, 500)
        self.assertIn("lockstep_rolls", answer.text)
        self.assertEqual((self.status(server, "old"), self.status(server, "new")), (200, 401))
        self.assertIn("cannot reload the configuration; keeping the old one", server.log)


class OpenDoorTest(AccessTest):
    def logged(self, http, web="", *flags):
        self.web.write_text(web)
        server = lockstep_server.Server.ready(self.folder, "--web.config.file", str(self.web), *flags, http=http)
        self.addCleanup(server.kill)
        server.stop()
        return server.log

    def test_a_server_says_that_everybody_may_use_it(self):
        said = "anyone who can reach this address has full access"
        self.assertIn(said, self.logged("0.0.0.0:0"))
        self.assertIn("door=otlp-grpc", self.logged("127.0.0.1:0", "", "--otlp-grpc", "0.0.0.0:0"))

    def test_a_server_with_credentials_or_for_this_machine_alone_does_not(self):
        for http, web in (("127.0.0.1:0", ""), ("0.0.0.0:0", ReloadTest.one_token("t"))):
            with tempfile.TemporaryDirectory() as folder:
                self.folder = pathlib.Path(folder)
                self.assertNotIn("everybody", self.logged(http, web))


class CertificateTest(AccessTest):
    WEB = """
tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: VerifyClientCertIfGiven
  client_ca_file: ca.crt
lockstep_roles:
  - {certificate_san: client.example, roles: [write]}
  - {certificate_subject: "CN=server", roles: [read]}
"""

    def setUp(self):
        super().setUp()
        certificates.make(self.folder)

    def context(self, name=None):
        tls = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        if name is not None:
            tls.load_cert_chain(self.folder / f"{name}.crt", self.folder / f"{name}.key")
        return tls

    def test_roles_by_name_in_the_certificate(self):
        grpc_address = programs.free_address()
        server = self.start(self.WEB, "--otlp-grpc", grpc_address)
        series = [({"__name__": "up", "job": "x"}, [(now_ms(), 1)])]

        def statuses(name):
            tls = self.context(name)
            return (self.ask(server, "GET", "/api/v1/labels", tls=tls).status,
                    self.ask(server, "POST", remote_write.PATH, None, remote_write.body(series), remote_write.HEADERS,
                             tls).status)
        self.assertEqual(statuses("client"), (403, 204))
        self.assertEqual(statuses("server"), (200, 403))
        self.assertEqual(statuses(None), (401, 401))
        # Signed by another authority.
        self.assertEqual(self.ask(server, "GET", "/-/ready", tls=self.context()).status, 200)
        with self.assertRaises((ssl.SSLError, OSError)):
            statuses("other")

        def grpc(name):
            return credentials.grpc_status(grpc_address, None, b"", self.context(name))
        self.assertEqual(grpc("client"), GRPC_OK)
        self.assertEqual(grpc("server"), GRPC_PERMISSION_DENIED)
        self.assertEqual(grpc(None), GRPC_UNAUTHENTICATED)

    def test_the_grpc_port_speaks_http2_alone(self):
        grpc_address = programs.free_address()
        self.start(self.WEB, "--otlp-grpc", grpc_address)
        host, port = grpc_address.split(":")

        def first_bytes(protocols):
            tls = self.context("client")
            if protocols:
                tls.set_alpn_protocols(protocols)
            with socket.create_connection((host, int(port)), timeout=WITHIN_S) as connection, \
                    tls.wrap_socket(connection, server_hostname=host) as stream:
                return stream.recv(1)
        with self.assertRaises(OSError):
            first_bytes(["http/1.1"])
        self.assertEqual(first_bytes([]), b"")

    def test_a_reload_takes_the_new_certificate(self):
        grpc_address = programs.free_address()
        server = self.start(self.WEB, "--otlp-grpc", grpc_address)

        def shown(address):
            """The certificate that the server presents."""
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.set_alpn_protocols(["h2", "http/1.1"])
            host, port = address.split(":")
            with socket.create_connection((host, int(port)), timeout=WITHIN_S) as connection, \
                    context.wrap_socket(connection) as tls:
                return tls.getpeercert(binary_form=True)
        before = shown(server.address)
        self.assertEqual(shown(grpc_address), before)
        certificates.make(self.folder)
        os.kill(server.pid, signal.SIGHUP)
        for address in (server.address, grpc_address):
            programs.wait_until(lambda address=address: shown(address) != before, "the new certificate is shown",
                                WITHIN_S)
        self.assertEqual(self.ask(server, "GET", "/-/ready", tls=self.context()).status, 200)
        self.assertEqual(credentials.grpc_status(grpc_address, None, b"", self.context("client")), GRPC_OK)
        (self.folder / "server.key").write_text("no key")
        os.kill(server.pid, signal.SIGHUP)
        programs.wait_until(lambda: "cannot reload the configuration; keeping the old one" in server.log, "the complaint", WITHIN_S)
        self.assertEqual(self.ask(server, "GET", "/-/ready", tls=self.context()).status, 200)


if __name__ == "__main__":
    unittest.main()
