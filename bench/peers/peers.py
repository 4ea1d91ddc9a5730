"""The servers that are compared, and what is measured of them from outside."""

import os
import pathlib
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

    def peak_resident_bytes(self):
        status = pathlib.Path(f"/proc/{self._program.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024

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
        self._program.stop()

    def disk_bytes(self):
        """What all files of the data folder occupy."""
        return sum(path.lstat().st_blocks * 512 for path in self._program.data.rglob("*")
                   if path.is_file())


class VictoriaMetrics(programs.Listener):
    def __init__(self, folder, program):
        self.data = folder / "data"
        address = programs.free_address()
        super().__init__(folder, "victoria-metrics",
                         [program, f"-storageDataPath={self.data}", f"-httpListenAddr={address}"],
                         address, "/health")


def lockstep(folder, program):
    return Peer("lockstep", Server.ready(folder, program=program), {})


def prometheus(folder, program):
    return Peer("Prometheus", Prometheus(folder, program=program), {})


def victoria_metrics(folder, program):
    # Its cache of results would answer every repetition.
    return Peer("VictoriaMetrics", VictoriaMetrics(folder, program), {"nocache": "1"})
