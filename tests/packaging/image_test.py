"""The images of packaging/image: their contents, reproducible builds, and that they work as an
unprivileged user on a read-only root: written, stopped, started again, read.

LOCKSTEP_PROGRAM names the program that the server's image is made of.
"""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))

import container
import lockstep_server
import programs

BUILD_IMAGE = ROOT / "packaging/image/build_image.py"
USER_ID = 65532
WITHIN_S = 120


def build(image, archive, **environment):
    arguments = ["--program", os.environ["LOCKSTEP_PROGRAM"]] if image == "server" else []
    subprocess.run([sys.executable, str(BUILD_IMAGE), image, *arguments, "--out", str(archive)], check=True,
                   capture_output=True, timeout=WITHIN_S, env={**os.environ, **environment})


class ImageTests:
    """For one image, unpacked once for all tests of a class, which sets these."""

    image_name = None
    programs = None  # everything in /usr/bin: no shell, no package manager

    @classmethod
    def setUpClass(cls):
        container.require_runtime()
        folder = tempfile.TemporaryDirectory(prefix="lockstep-image-")
        cls.addClassCleanup(folder.cleanup)
        cls.archives = pathlib.Path(folder.name)
        cls.archive = cls.archives / "image.oci.tar"
        build(cls.image_name, cls.archive, SOURCE_DATE_EPOCH="1700000000")
        cls.image = container.Image(cls.archive, cls.archives)

    def test_what_is_in_it(self):
        config = self.image.config["config"]
        self.assertEqual(config["User"], f"{USER_ID}:{USER_ID}")
        self.assertEqual(config["StopSignal"], "SIGTERM")
        self.assertEqual(self.image.config["created"], "2023-11-14T22:13:20Z")
        home = (self.image.root / "var/lib/lockstep").stat()
        self.assertEqual((home.st_uid, home.st_gid, stat.S_IMODE(home.st_mode)), (USER_ID, USER_ID, 0o750))
        self.assertEqual({path.name for path in (self.image.root / "usr/bin").iterdir()}, self.programs)
        for path in self.image.root.rglob("*"):
            if not path.is_symlink():
                self.assertFalse(path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID), f"{path} runs as its owner")
        self.assertIn("Package: libc6", (self.image.root / "var/lib/dpkg/status.d/libc6").read_text())
        for path in (self.image.root / "var/lib/dpkg/status.d").iterdir():
            self.assertTrue((self.image.root / "usr/share/doc" / path.name / "copyright").exists(), path.name)

    def test_two_builds_are_the_same_bytes(self):
        again = self.archives / "again.oci.tar"
        build(self.image_name, again, SOURCE_DATE_EPOCH="1700000000", TZ="Asia/Kolkata", PYTHONHASHSEED="7")
        self.assertEqual(again.read_bytes(), self.archive.read_bytes())


class ServerImageTest(ImageTests, unittest.TestCase):
    image_name = "server"
    programs = {"lockstep"}

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-image-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.data.mkdir()
        os.chown(self.data, USER_ID, USER_ID)

    def start(self):
        """Runs a container of the server on this test's data; yields its address."""
        address = programs.free_address()
        command = self.image.container(["serve", "--http", address, "--data", "/var/lib/lockstep"],
                                       mounts=[(self.data, "/var/lib/lockstep")])
        server = programs.Listener(self.folder, "server", command, address, "/-/ready")
        self.addCleanup(lambda: server.alive and server.kill())
        return server

    def test_how_it_is_started(self):
        config = self.image.config["config"]
        self.assertEqual(config["Entrypoint"], ["/usr/bin/lockstep"])
        self.assertEqual(config["Healthcheck"]["Test"], ["CMD", "/usr/bin/lockstep", "healthy"])
        self.assertIn("BEGIN CERTIFICATE", (self.image.root / "etc/ssl/certs/ca-certificates.crt").read_text())

    def test_writes_restarts_and_reads_back(self):
        now_ms = int(time.time() * 1000)
        server = self.start()
        connection = lockstep_server.Connection(server.address)
        self.assertEqual(connection.write([({"__name__": "up", "job": "a"}, [(now_ms, 42.0)])]).status, 204)
        connection.close()
        self.assertEqual(server.stop(), 0, server.log)

        server = self.start()
        connection = lockstep_server.Connection(server.address)
        [row] = connection.query("up", now_ms / 1000)
        self.assertEqual(row["value"][1], "42")
        connection.close()
        healthy = self.image.run(["healthy", "--url", server.url])
        self.assertEqual(healthy.returncode, 0, healthy.stderr)
        self.assertEqual(server.stop(), 0, server.log)
        self.assertNotEqual(self.image.run(["healthy", "--url", server.url]).returncode, 0)

        owners = {path.stat().st_uid for path in self.data.rglob("*")}
        self.assertEqual(owners, {USER_ID})

    def test_the_root_is_read_only(self):
        finished = self.image.run(["serve", "--http", "127.0.0.1:0", "--data", "/var/lib/lockstep"])
        self.assertEqual(finished.returncode, 1)
        self.assertIn("Read-only file system", finished.stderr)

    def test_its_rules_are_evaluated(self):
        config = self.data / "lockstep.yml"
        config.write_text("rule_files: [/usr/share/lockstep/rules_pack/*.yml]\n")
        finished = self.image.run(["check", "config", "/var/lib/lockstep/lockstep.yml"],
                                  mounts=[(self.data, "/var/lib/lockstep")])
        self.assertEqual(finished.returncode, 0, finished.stderr)


class AgentImageTest(ImageTests, unittest.TestCase):
    image_name = "agent"
    programs = {"python3", pathlib.Path("/usr/bin/python3").resolve().name}

    def test_its_samples_arrive(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-agent-")
        self.addCleanup(folder.cleanup)
        server = lockstep_server.Server.ready(pathlib.Path(folder.name))
        self.addCleanup(server.kill)
        command = self.image.container(["--url", server.url, "--label", "cluster=a", "--push-every", "1"],
                                       environment=["NODE_NAME=node-1"])
        agent = programs.Program(pathlib.Path(folder.name), "agent", command)
        self.addCleanup(lambda: agent.alive and agent.kill())
        [row] = programs.wait_until(
            lambda: programs.ask(server.url, "query", query="node_memory_MemTotal_bytes")["result"],
            f"the agent's samples; {agent.log}", WITHIN_S)
        self.assertEqual((row["metric"]["Hostname"], row["metric"]["cluster"]), ("node-1", "a"))
        self.assertEqual(agent.stop(), 0, agent.log)


if __name__ == "__main__":
    unittest.main()
