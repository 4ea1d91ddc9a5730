"""Sends every method with every credential to every path of docs/openapi.yaml: the status is that
of the handler, or 401 or 403 as the path's x-lockstep-role, or the method's, says.

LOCKSTEP_PROGRAM names the server.
"""

import http.client
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import credentials  # noqa: E402
import lockstep_server  # noqa: E402
import programs  # noqa: E402

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
SHOWN = (None, credentials.WRONG, credentials.IDLE, *credentials.ROLES)
IN_PATHS = {"{name}": "job", "{id}": "4711", "{file}": "none.js", "{group}": "bmlnaHRseQ"}
GRPC_OK, GRPC_PERMISSION_DENIED, GRPC_UNAUTHENTICATED = 0, 7, 16


def expected(role, shown):
    """401, 403, or None if the handler decides."""
    if role == "none" or shown in (role, "admin"):
        return None
    if shown in (None, credentials.WRONG):
        return 401
    return None if role == "any" else 403


class MatrixTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "web.yml").write_text(credentials.tokens_by_role())
        cls.grpc_address = programs.free_address()
        cls.server = lockstep_server.Server.ready(
            cls.folder, "--web.config.file", str(cls.folder / "web.yml"), "--web.enable-admin-api",
            "--web.enable-lifecycle", "--otlp-grpc", cls.grpc_address)
        cls.addClassCleanup(cls.server.kill)

    def setUp(self):
        self.connection = http.client.HTTPConnection(self.server.address, timeout=60)
        self.addCleanup(self.connection.close)

    def status(self, method, path, shown, body=None):
        self.connection.request(method, path, body, credentials.bearer(shown))
        response = self.connection.getresponse()
        if path in credentials.ENDLESS and response.status == 200 and method != "HEAD":
            self.connection.close()
        else:
            response.read()
        return response.status

    def test_http(self):
        roles = credentials.roles_of_paths()
        self.assertGreater(len(roles), 50)
        of_methods = credentials.roles_of_methods()
        self.assertIn(("/api/v1/annotations", "DELETE"), of_methods)
        wrong = []
        for page_path, path_role in roles.items():
            path = page_path
            for name, value in IN_PATHS.items():
                path = path.replace(name, value)
            path += credentials.QUICK.get(path, "")
            for method in METHODS:
                role = of_methods.get((page_path, method), path_role)
                for shown in SHOWN:
                    status = self.status(method, path, shown)
                    refusal = status if status in (401, 403) else None
                    if refusal != expected(role, shown) or status >= 500:
                        wrong.append((method, path, role, shown, status))
        self.assertEqual(wrong, [])

    def test_every_role_is_asked_for_somewhere(self):
        self.assertEqual(set(credentials.roles_of_paths().values()), {"none", "any", *credentials.ROLES})

    def test_other_spellings_of_a_path_are_no_way_around(self):
        for path in ("//api/v1/status/config", "/api/v1/status/config/", "/api/v1/status/../status/config",
                     "/api/v1/status/%63onfig", "/-/healthy/../../metrics", "/-/healthy;/metrics", "/api/v1/status/config#x",
                     "/metrics/", "/METRICS", "/%6detrics"):
            with self.subTest(path=path):
                self.assertEqual(self.status("GET", path, None), 401)
                self.assertIn(self.status("GET", path, credentials.IDLE), (403, 404))
        # Spellings of /metrics.
        for path in ("/metrics?x=/-/healthy", "http://localhost/metrics"):
            with self.subTest(path=path):
                self.assertEqual(self.status("GET", path, None), 401)
                self.assertEqual(self.status("GET", path, "read"), 403)
                self.assertEqual(self.status("GET", path, "metrics"), 200)

    def test_what_is_not_there_is_told_to_whom_is_known(self):
        for method in METHODS:
            self.assertEqual(self.status(method, "/nowhere", None), 401)
            self.assertEqual(self.status(method, "/nowhere", credentials.WRONG), 401)
        self.assertEqual(self.status("GET", "/nowhere", credentials.IDLE), 404)

    def test_grpc(self):
        for shown in SHOWN:
            wanted = {None: GRPC_OK, 401: GRPC_UNAUTHENTICATED, 403: GRPC_PERMISSION_DENIED}[expected("write", shown)]
            with self.subTest(shown=shown):
                self.assertEqual(credentials.grpc_status(self.grpc_address, shown), wanted)


if __name__ == "__main__":
    unittest.main()
