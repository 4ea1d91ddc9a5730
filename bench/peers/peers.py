"""The servers that are compared, and what is measured of them from outside."""

import argparse
import os
import pathlib
import resource
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import programs
from lockstep_server import Server
from prometheus_server import Prometheus

CLOCK_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# A server has settled when it used less than this share of one core for this long.
IDLE_SHARE = 0.03
IDLE_S = 4
SETTLES_WITHIN_S = 180


def disk_bytes(folder):
    """What all files of the folder occupy."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


class Peer:
    """A running server with an empty data folder."""

    def __init__(self, name, program, query_parameters):
        self.name = name
        self.query_parameters = query_parameters
        self._program = program
        self.url = program.url
        self.write_url = program.url + "/api/v1/write"

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self._program.pid}/stat").read_text().rsplit(")", 1)[1]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / CLOCK_TICKS_PER_S

    def _memory_bytes(self, field):
        status = pathlib.Path(f"/proc/{self._program.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(field + ":"))
        return int(line.split()[1]) * 1024

    def resident_bytes(self):
        return self._memory_bytes("VmRSS")

    def peak_resident_bytes(self):
        return self._memory_bytes("VmHWM")

    def settle(self):
        """Waits until flushes and merges in the background are done."""
        deadline = time.monotonic() + SETTLES_WITHIN_S
        while time.monotonic() < deadline:
            before = self.cpu_seconds()
            time.sleep(IDLE_S)
            if self.cpu_seconds() - before < IDLE_SHARE * IDLE_S:
                return
        print(f"  {self.name} was still busy after {SETTLES_WITHIN_S} s")

    def stop(self):
        """Returns how much CPU it used in its life; no other child may end meanwhile."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._program.stop()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def disk_bytes(self):
        return disk_bytes(self._program.data)


class VictoriaMetrics(programs.Listener):
    def __init__(self, folder, program):
        self.data = folder / "data"
        address = programs.free_address()
        super().__init__(folder, "victoria-metrics",
                         [program, f"-storageDataPath={self.data}", f"-httpListenAddr={address}"],
                         address, "/health")


def start(name, folder, options):
    """The server of that name on an empty `folder`, which is made."""
    folder.mkdir()
    # Caches of results would answer every repetition; Prometheus has none.
    if name == "lockstep":
        return Peer(name, Server.ready(folder, "--query.cache-bytes", "0",
                                       program=options.lockstep), {})
    if name == "Prometheus":
        return Peer(name, Prometheus(folder, program=options.peers / "prometheus"), {})
    return Peer(name, VictoriaMetrics(folder, options.peers / "victoria-metrics"), {"nocache": "1"})


NAMES = ("lockstep", "Prometheus", "VictoriaMetrics")


def existing_path(text):
    path = pathlib.Path(text).resolve()
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    return path


def add_program_arguments(parser):
    parser.add_argument("--lockstep", type=existing_path, required=True)
    parser.add_argument("--replay", type=existing_path, required=True)
    parser.add_argument("--folder", type=existing_path, help="where the data go (on a disk)")


def add_arguments(parser):
    add_program_arguments(parser)
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/peers")
