"""TLS, users and tokens: the real program with real curl, and a real Prometheus as sender."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import certificates  # noqa: E402
import lockstep_server  # noqa: E402
import programs  # noqa: E402
from prometheus_server import Prometheus  # noqa: E402

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60
PASSWORD = "wonder:land"
# bcrypt of PASSWORD with cost 4, by crypt(3).
PASSWORD_HASH = "$2b$04$abcdefghijklmnopqrstuuQrKcmYtR.hB8QQ39VAGLfHjVq9MEY1a"
TOKEN = "a-token-of-our-own"
FILE_TOKEN = "a-token-in-a-file"


def run(*arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=WITHIN_S, **options)


class TlsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        certificates.make(self.folder)

    def start(self, web_config):
        (self.folder / "web.yml").write_text(web_config)
        server = lockstep_server.Server.ready(self.folder, "--web.config.file",
                                              str(self.folder / "web.yml"))
        self.addCleanup(server.kill)
        return server

    def curl(self, server, *arguments, path="/-/ready", authority="ca.crt"):
        """(status, body); the status is 0 without a response."""
        result = run("curl", "--silent", "--show-error", "--cacert", authority, "--max-time",
                     str(WITHIN_S), "--write-out", "\n%{http_code}", *arguments,
                     server.url + path, cwd=self.folder)
        body, _, status = result.stdout.rpartition("\n")
        return int(status), body

    SERVER = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"

    def test_tls(self):
        server = self.start(self.SERVER + "http_server_config: {headers: {X-Frame-Options: deny}}")
        self.assertTrue(server.url.startswith("https://"))
        self.assertEqual(self.curl(server)[0], 200)
        self.assertIn("x-frame-options: deny", self.curl(server, "--include")[1].lower())
        self.assertEqual(self.curl(server, authority="other.crt")[0], 0)
        self.assertEqual(self.curl(server, "--tls-max", "1.1")[0], 0)
        self.assertEqual(self.curl(server, "--tls-max", "1.2")[0], 200)
        answer = self.curl(server, "--data-urlencode", "query=1+1", path="/api/v1/query")
        self.assertEqual(json.loads(answer[1])["data"]["result"][1], "2")
        # Plain HTTP to the TLS port is not a valid request.
        plain = run("curl", "--silent", "--max-time", str(WITHIN_S),
                    server.url.replace("https", "http"))
        self.assertNotEqual(plain.returncode, 0)
        self.assertEqual(server.stop(), 0)

    def test_large_bodies_over_tls(self):
        server = self.start(self.SERVER)
        (self.folder / "form").write_text("query=" + "1%2B" * 100_000 + "1")
        # Longer than a query may be: read completely, then rejected.
        status, _ = self.curl(server, "--data-binary", "@form", path="/api/v1/query")
        self.assertEqual(status, 422)
        (self.folder / "huge").write_bytes(bytes(65 << 20))
        for expect in ("Expect:", "Expect: 100-continue"):
            status, _ = self.curl(server, "--data-binary", "@huge", "-H", expect,
                                  path="/api/v1/write")
            self.assertEqual(status, 413)

    def test_client_certificates(self):
        server = self.start(self.SERVER + "  client_auth_type: RequireAndVerifyClientCert\n"
                                          "  client_ca_file: ca.crt\n"
                                          "  client_allowed_sans: [client.example]\n")
        self.assertEqual(self.curl(server)[0], 0)
        client = ("--cert", "client.crt", "--key", "client.key")
        self.assertEqual(self.curl(server, *client)[0], 200)
        # Signed by the same authority, but for another name.
        self.assertEqual(self.curl(server, "--cert", "server.crt", "--key", "server.key")[0], 0)
        self.assertEqual(self.curl(server, "--cert", "other.crt", "--key", "other.key")[0], 0)

    def users_and_tokens(self):
        (self.folder / "file.token").write_text(FILE_TOKEN + "\n")
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        return (f"basic_auth_users: {{alice: {PASSWORD_HASH}}}\n"
                f"lockstep_bearer_tokens:\n  own: {{sha256: {digest}}}\n"
                f"  file: {{file: file.token}}\n")

    def test_users_and_tokens(self):
        server = self.start(self.users_and_tokens())
        cases = (((), 401),
                 (("--user", f"alice:{PASSWORD}"), 200),
                 (("--user", f"alice:{PASSWORD}"), 200),
                 (("--user", "alice:wrong"), 401),
                 (("--user", f"bob:{PASSWORD}"), 401),
                 (("--oauth2-bearer", TOKEN), 200),
                 (("--oauth2-bearer", FILE_TOKEN), 200),
                 (("--oauth2-bearer", TOKEN[:-1]), 401),
                 (("-H", "Authorization: nonsense"), 401))
        for arguments, status in cases:
            self.assertEqual(self.curl(server, *arguments)[0], status, arguments)
        # Credentials are required everywhere.
        for path in ("/-/healthy", "/metrics", "/", "/api/v1/status/config"):
            self.assertEqual(self.curl(server, path=path)[0], 401, path)
        config = self.curl(server, "--oauth2-bearer", TOKEN, path="/api/v1/status/config")[1]
        self.assertEqual(server.stop(), 0)
        for secret in (PASSWORD, PASSWORD_HASH, TOKEN, FILE_TOKEN):
            self.assertNotIn(secret, server.log)
            self.assertNotIn(secret, config)

    def test_verbs_with_credentials(self):
        server = self.start(self.SERVER + self.users_and_tokens())
        (self.folder / "samples").write_text(f"imported 7 {int(time.time())}\n# EOF\n")
        trust = ("--ca-file", "ca.crt")
        result = run(PROGRAM, "import", "--to", server.url, *trust, "--user", f"alice:{PASSWORD}",
                     "samples", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        result = run(PROGRAM, "query", "--url", server.url, *trust, "--token-file", "file.token",
                     "imported", cwd=self.folder)
        self.assertEqual(result.stdout, "__name__  value\nimported      7\n")
        for wrong in (("--user", "alice:wrong"), ()):
            result = run(PROGRAM, "import", "--to", server.url, *trust, *wrong, "samples",
                         cwd=self.folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("the server answered 401", result.stderr)

    def test_bad_files_are_refused_with_a_sentence(self):
        cases = (("tls_server_config: {cert_file: none.crt, key_file: server.key}",
                  "cannot use cert_file"),
                 ("tls_server_config: {cert_file: server.crt, key_file: client.key}",
                  "cannot use"),
                 ("basic_auth_users: {alice: hunter2}", "line 1: the password of user \"alice\""),
                 ("basic_auth: {}", "line 1: unknown key \"basic_auth\""))
        for text, complaint in cases:
            (self.folder / "web.yml").write_text(text)
            for arguments in (("check", "web-config", "web.yml"),
                              ("serve", "--http", "127.0.0.1:0", "--web.config.file", "web.yml")):
                result = run(PROGRAM, *arguments, cwd=self.folder)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(complaint.replace('"', '\\"') if arguments[0] == "serve"
                              else complaint, result.stderr)
                self.assertNotIn("hunter2", result.stderr)

    def test_a_real_prometheus_writes(self):
        server = self.start(self.SERVER + self.users_and_tokens())
        address = programs.free_address()
        (self.folder / "password").write_text(PASSWORD)
        prometheus = Prometheus(self.folder, address=address, config=f"""
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: self
    static_configs: [{{targets: ['{address}']}}]
remote_write:
  - url: {server.url}/api/v1/write
    basic_auth: {{username: alice, password_file: password}}
    tls_config: {{ca_file: ca.crt}}
    queue_config: {{batch_send_deadline: 100ms}}
""")
        try:
            def arrived():
                status, body = self.curl(server, "--user", f"alice:{PASSWORD}", "--get",
                                         "--data-urlencode", 'query=up{job="self"}',
                                         path="/api/v1/query")
                self.assertEqual(status, 200)
                return json.loads(body)["data"]["result"]
            result = programs.wait_until(arrived, "a sample of Prometheus has come", WITHIN_S)
            self.assertEqual(result[0]["value"][1], "1")
        finally:
            self.assertEqual(prometheus.stop(), 0)


if __name__ == "__main__":
    unittest.main()
