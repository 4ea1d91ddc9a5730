"""Profiles of a server under load, read by `go tool pprof`.

LOCKSTEP_PROGRAM names the server. Without Go, its part is skipped.
"""

import gzip
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
from lockstep_server import Server

SECONDS = 2
# Evaluated afresh each time, and slow.
QUERY = {"query": "count(sum by (a) (count_over_time(vector(1)[10m:1s])))", "start": "1", "end": "4000", "step": "1", "stats": "all"}


class ProfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.server = Server.ready(cls.folder)
        cls.addClassCleanup(cls.server.kill)
        cls.connection = cls.server.connect()
        cls.addClassCleanup(cls.connection.close)

    def get(self, name, **parameters):
        answer = self.connection.get(f"/debug/pprof/{name}", **parameters)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.body

    def cpu_profile(self):
        """Profiles of a server that evaluates queries at the same time."""
        done = threading.Event()

        def ask():
            connection = self.server.connect()
            while not done.is_set():
                connection.get("/api/v1/query_range", **QUERY)
            connection.close()

        asking = threading.Thread(target=ask)
        asking.start()
        try:
            return self.get("profile", seconds=SECONDS)
        finally:
            done.set()
            asking.join()

    def pprof(self, profile, *flags):
        go = shutil.which("go")
        if go is None:
            raise unittest.SkipTest("there is no Go")
        path = self.folder / "profile.pb.gz"
        path.write_bytes(profile)
        result = subprocess.run([go, "tool", "pprof", *flags, str(path)], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_pprof_reads_where_time_goes(self):
        top = self.pprof(self.cpu_profile(), "-top", "-cum", "-nodecount=400")
        self.assertIn("Type: cpu", top)
        self.assertIn("lockstep::engine::", top)

    def test_pprof_reads_what_memory_is_for(self):
        top = self.pprof(self.get("heap"), "-top", "-nodecount=100")
        self.assertIn("Type: inuse_space", top)
        self.assertIn("in no account", top)

    def test_profiles_are_gzip_with_the_names_of_functions(self):
        self.assertIn(b"lockstep::engine::", gzip.decompress(self.cpu_profile()))
        self.assertIn(b"in no account", gzip.decompress(self.get("heap")))

    def test_one_at_a_time_and_until_the_client_goes(self):
        first = self.server.connect()
        self.addCleanup(first.close)
        first._http.request("GET", "/debug/pprof/profile?seconds=300")
        programs.wait_until(lambda: self.connection.get("/debug/pprof/profile", seconds=1).status == 409,
                            "a second profile is refused", 60)
        first.close()
        programs.wait_until(lambda: self.connection.get("/debug/pprof/profile", seconds=1).status == 200,
                            "the next one is taken", 60)

    def test_the_arguments(self):
        self.assertEqual(self.get("cmdline").split(b"\0")[1], b"serve")


if __name__ == "__main__":
    unittest.main()
