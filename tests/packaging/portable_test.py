"""The portable program: its dependencies, size and hardening, and that it runs on its own.

LOCKSTEP_PORTABLE names it, LOCKSTEP_PROGRAM the program with shared libraries, LOCKSTEP_BUILD the
build folder of both.
"""

import http.server
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "packaging")]

import lockstep_server  # noqa: E402
import release  # noqa: E402

BUILD = pathlib.Path(os.environ["LOCKSTEP_BUILD"])
PORTABLE = pathlib.Path(os.environ["LOCKSTEP_PORTABLE"])
PROGRAM = pathlib.Path(os.environ["LOCKSTEP_PROGRAM"])
GLIBC_LIBRARIES = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
MOST_SHARED_LIBRARIES = 10
# This includes one megabyte for SQLite, which reads MLflow's database, a fifth of one for expat,
# which reads EC2's responses, and half of one for hangs, annotations and the Model Context Protocol.
MOST_BYTES = 25_000_000


def run(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


class NeedsTest(unittest.TestCase):

    def test_needs_only_libraries_of_glibc(self):
        needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", PORTABLE)))
        self.assertLessEqual({"libc.so.6"}, needed)
        self.assertLessEqual(needed, GLIBC_LIBRARIES)

    def test_the_loader_finds_few_libraries(self):
        lines = run("ldd", PORTABLE).splitlines()
        self.assertLessEqual(len(lines), MOST_SHARED_LIBRARIES)
        self.assertFalse([line for line in lines if "not found" in line])

    def test_needs_no_newer_glibc_than_the_wheel_says(self):
        versions = re.findall(r"\bGLIBC_([0-9.]+)", run("readelf", "-VW", PORTABLE))
        newest = max(tuple(map(int, text.split("."))) for text in versions)
        self.assertLessEqual(newest, tuple(map(int, release.GLIBC.split("."))))

    def test_is_small_when_stripped_and_names_no_folder_of_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            stripped = release.stripped(PORTABLE, pathlib.Path(folder, "lockstep"))
            self.assertLess(stripped.stat().st_size, MOST_BYTES)
            self.assertNotIn(str(ROOT).encode(), stripped.read_bytes())
            self.assertNotIn(".debug_", run("readelf", "-SW", stripped))


class HardeningTest(unittest.TestCase):

    def test_both_programs_are_position_independent(self):
        for program in (PORTABLE, PROGRAM):
            with self.subTest(program.name):
                self.assertRegex(run("readelf", "-hW", program), r"Type:\s+DYN")
                self.assertRegex(run("readelf", "-dW", program), r"\(FLAGS_1\).*\bPIE\b")

    def test_relocations_are_read_only_before_the_program_starts(self):
        for program in (PORTABLE, PROGRAM):
            with self.subTest(program.name):
                self.assertIn("GNU_RELRO", run("readelf", "-lW", program))
                self.assertRegex(run("readelf", "-dW", program), r"\(FLAGS\).*\bBIND_NOW\b")
                self.assertRegex(run("readelf", "-dW", program), r"\(FLAGS_1\).*\bNOW\b")

    def test_no_memory_is_both_writable_and_executable(self):
        for program in (PORTABLE, PROGRAM):
            with self.subTest(program.name):
                segments = re.findall(r"^  (\w+) .* ([R ][W ][E ]) 0x", run("readelf", "-lW", program), re.MULTILINE)
                self.assertIn("GNU_STACK", [name for name, _ in segments])
                self.assertFalse([segment for segment in segments if "WE" in segment[1]])

    def test_stacks_and_buffers_are_checked(self):
        for program in (PORTABLE, PROGRAM):
            with self.subTest(program.name):
                symbols = run("readelf", "--dyn-syms", "-W", program)
                self.assertIn("__stack_chk_fail@", symbols)
                self.assertRegex(symbols, r"__(memcpy|snprintf|read|fprintf|vsnprintf)_chk@")

    def test_our_own_code_is_compiled_with_every_check(self):
        """Symbols alone could come from a library inside the program."""
        commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        self.assertTrue(commands)
        for command in commands:
            for flag in ("-fPIE", "-fstack-protector-strong", "-fstack-clash-protection", "-fcf-protection=full",
                         "-D_FORTIFY_SOURCE=3"):
                self.assertIn(f" {flag} ", command["command"], command["file"])
        for archive in ("server/liblockstep_server.a", "cli/liblockstep_cli.a"):
            undefined = run("readelf", "-sW", BUILD / archive)
            self.assertIn("__stack_chk_fail", undefined)
            self.assertRegex(undefined, r"UND __\w+_chk\n")

    def test_indirect_jumps_are_marked(self):
        """Checks our objects. The whole program is marked only if all objects of all libraries are,
        and those in Debian's static archives are not.
        """
        for archive in sorted(BUILD.glob("**/liblockstep_*.a")):
            text = run("readelf", "-nW", archive)
            objects = re.split(r"^File: ", text, flags=re.MULTILINE)[1:]
            for notes in objects:
                self.assertRegex(notes, r"x86 feature: IBT, SHSTK", f"{archive.name}: {notes.splitlines()[0]}")


class RunsTest(unittest.TestCase):

    def test_says_what_it_is(self):
        self.assertIn(f"lockstep {release.version()}", run(PORTABLE, "version"))

    def test_serves_what_was_written_also_after_a_restart(self):
        with tempfile.TemporaryDirectory(prefix="lockstep-test-") as name:
            folder = pathlib.Path(name)
            for is_restart in (False, True):
                server = lockstep_server.Server.ready(folder, "--storage.retention.time", "100y",
                                                      program=str(PORTABLE))
                self.addCleanup(server.kill)
                connection = server.connect()
                if not is_restart:
                    self.assertTrue(connection.write([({"__name__": "kept"}, [(1_700_000_000_000, 42.0)])]).stored)
                result = connection.query("kept", 1_700_000_000)
                self.assertEqual([entry["value"][1] for entry in result], ["42"])
                connection.close()
                server.stop()


class CertificatesTest(unittest.TestCase):
    """Its own copy of OpenSSL trusts what the environment, or the system, trusts."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.certificate = f"{cls.folder.name}/certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", f"{cls.folder.name}/key.pem", "-out", cls.certificate],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cls.certificate, f"{cls.folder.name}/key.pem")

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                body = b'{"status":"success","data":{"resultType":"scalar","result":[0,"7"]}}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        cls.server.socket = context.wrap_socket(cls.server.socket, server_side=True)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        cls.folder.cleanup()

    def ask(self, **environment):
        url = f"https://127.0.0.1:{self.server.server_port}"
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith("SSL_CERT") and name not in ("CURL_CA_BUNDLE", "https_proxy", "HTTPS_PROXY")}
        return subprocess.run([PORTABLE, "query", "--url", url, "7"], env={**plain, **environment}, text=True,
                              capture_output=True, check=False)

    def test_trusts_the_certificates_of_the_environment(self):
        answer = self.ask(SSL_CERT_FILE=self.certificate)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("7", answer.stdout)

    def test_trusts_nobody_else(self):
        answer = self.ask()
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("certificate", answer.stderr)


if __name__ == "__main__":
    unittest.main()
