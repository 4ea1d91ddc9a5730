"""The servers under comparison, and their measurements from outside."""

import argparse
import contextlib
import os
import pathlib
import resource
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import programs
import remote_write
from lockstep_server import Server
from prometheus_server import Prometheus

# Prometheus' setting without which it refuses samples that are older than those of other series.
LATE_SAMPLES = "storage: {tsdb: {out_of_order_time_window: 1d}}\n"
# A lockstep from before a change.
BEFORE = "before"
CLOCK_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# A server has settled when it used less than this share of one core for this long.
IDLE_SHARE = 0.03
IDLE_S = 4
SETTLES_WITHIN_S = 180


def disk_bytes(folder):
    """The disk space of all files in the folder."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


class Peer:
    """A running server with an empty data folder."""

    def __init__(self, name, program, query_parameters):
        self.name = name
        self.query_parameters = query_parameters
        self._program = program
        self.url = program.url
        self.write_url = program.url + remote_write.PATH

    def is_alive(self):
        return self._program.alive

    def cpu_seconds(self):
        return sum(self.user_and_system_seconds())

    def user_and_system_seconds(self):
        fields = pathlib.Path(f"/proc/{self._program.pid}/stat").read_text().rsplit(")", 1)[1]
        user, system = fields.split()[11:13]
        return int(user) / CLOCK_TICKS_PER_S, int(system) / CLOCK_TICKS_PER_S

    def written_bytes(self):
        """What the process has made the kernel write to a disk, or will."""
        text = pathlib.Path(f"/proc/{self._program.pid}/io").read_text()
        counts = dict(line.split(": ") for line in text.splitlines())
        return int(counts["write_bytes"]) - int(counts["cancelled_write_bytes"])

    def thread_cpu_ms(self):
        """The CPU time of the threads that are running, to the nanosecond."""
        total_ns = 0
        for task in pathlib.Path(f"/proc/{self._program.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                total_ns += int((task / "schedstat").read_text().split()[0])
        return total_ns / 1e6

    def _memory_bytes(self, field):
        status = pathlib.Path(f"/proc/{self._program.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(field + ":"))
        return int(line.split()[1]) * 1024

    def resident_bytes(self):
        return self._memory_bytes("VmRSS")

    def peak_resident_bytes(self):
        return self._memory_bytes("VmHWM")

    def settle(self):
        """Waits until background flushes and merges are done."""
        deadline = time.monotonic() + SETTLES_WITHIN_S
        while time.monotonic() < deadline:
            before = self.cpu_seconds()
            time.sleep(IDLE_S)
            if self.cpu_seconds() - before < IDLE_SHARE * IDLE_S:
                return
        print(f"  {self.name} was still busy after {SETTLES_WITHIN_S} s")

    def stop(self):
        """Returns its total CPU time; no other child may exit meanwhile."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._program.stop()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def disk_bytes(self):
        return disk_bytes(self._program.data)


class VictoriaMetrics(programs.Listener):
    def __init__(self, folder, *flags, program):
        self.data = folder / "data"
        address = programs.free_address()
        super().__init__(folder, "victoria-metrics",
                         [program, f"-storageDataPath={self.data}", f"-httpListenAddr={address}",
                          "-search.disableCache", *flags], address, "/health")


def start(name, folder, options, *flags):
    """The server of that name on `folder`, which is created if it is missing."""
    folder.mkdir(exist_ok=True)
    # Result caches would answer every repetition; Prometheus has none.
    if name == "Prometheus":
        return Peer(name, Prometheus(folder, *flags, config=LATE_SAMPLES,
                                     program=options.peers / "prometheus"), {})
    if name == "VictoriaMetrics":
        return Peer(name, VictoriaMetrics(folder, *flags, program=options.peers / "victoria-metrics"),
                    {"nocache": "1"})
    program = options.before if name == BEFORE else options.lockstep
    return Peer(name, Server.ready(folder, "--query.cache-bytes", "0", *flags, program=program), {})


NAMES = ("lockstep", "Prometheus", "VictoriaMetrics")


def existing_path(text):
    path = pathlib.Path(text).resolve()
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    return path


def add_program_arguments(parser):
    parser.add_argument("--lockstep", type=existing_path, required=True)
    parser.add_argument("--replay", type=existing_path, required=True)
    parser.add_argument("--folder", type=existing_path, help="folder for the data (on a disk)")


def add_arguments(parser):
    add_program_arguments(parser)
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/peers")
