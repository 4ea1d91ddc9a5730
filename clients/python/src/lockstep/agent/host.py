"""Host metrics: CPUs, memory, pressure, disks and network, from /proc, with node_exporter's names.

CPU time is the total of all CPUs (cpu="all"): a thousand series per second and host would not
explain a training any better.
"""

from __future__ import annotations

import os
import pathlib
import re
from typing import Iterable, Iterator, List, Tuple

from lockstep.agent.kernel_file import KernelFile
from lockstep.agent.samples import Sample, Sampler, pairs

CPU_MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
MEMORY = frozenset(("MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "Dirty", "SwapTotal", "SwapFree"))
PRESSURES = (("cpu", (("some", "waiting"),)), ("io", (("some", "waiting"), ("full", "stalled"))),
             ("memory", (("some", "waiting"), ("full", "stalled"))))
# The counters of /proc/diskstats, by column after the device's name; its sectors have 512 bytes.
DISK = ((0, "reads_completed_total", 1.0), (2, "read_bytes_total", 512.0), (4, "writes_completed_total", 1.0),
        (6, "written_bytes_total", 512.0), (9, "io_time_seconds_total", 0.001))
# Partitions and devices built on others would count the same bytes again.
WHOLE_DISK = re.compile(r"(sd[a-z]+|vd[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+)")
NETWORK = ((0, "receive_bytes_total"), (1, "receive_packets_total"), (2, "receive_errs_total"),
           (3, "receive_drop_total"), (8, "transmit_bytes_total"), (9, "transmit_packets_total"),
           (10, "transmit_errs_total"), (11, "transmit_drop_total"))
# Container interfaces come and go, and their bytes pass a real interface too.
NO_NETWORK = re.compile(r"lo|veth.*|cali.*|lxc.*|docker.*|br-.*|tap.*")


class HostSampler(Sampler):
    """Reads below `root`, which is / except in tests."""

    def __init__(self, root: pathlib.Path = pathlib.Path("/")) -> None:
        self._stat, self._load, self._memory, self._disks, self._network = (
            KernelFile(root / "proc" / name)
            for name in ("stat", "loadavg", "meminfo", "diskstats", "net/dev"))
        self._pressures = [(KernelFile(root / "proc/pressure" / name), name, kinds) for name, kinds in PRESSURES]
        self._ticks_per_s = os.sysconf("SC_CLK_TCK")

    def sample(self) -> Iterable[Sample]:
        yield from self._processors()
        for name, text in zip(("node_load1", "node_load5", "node_load15"), self._load.text().split()):
            yield Sample(name, (), float(text))
        yield from self._memory_sizes()
        yield from self._pressure()
        yield from self._disk_counters()
        yield from self._network_counters()

    def _processors(self) -> Iterator[Sample]:
        columns = self._stat.text().partition("\n")[0].split()[1:]
        for mode, ticks in zip(CPU_MODES, columns):
            yield Sample("node_cpu_seconds_total", (("cpu", "all"), ("mode", mode)),
                         int(ticks) / self._ticks_per_s)

    def _memory_sizes(self) -> Iterator[Sample]:
        for line in self._memory.text().splitlines():
            name, _, size = line.partition(":")
            if name in MEMORY:
                yield Sample(f"node_memory_{name}_bytes", (), float(size.split()[0]) * 1024)

    def _pressure(self) -> Iterator[Sample]:
        for file, name, kinds in self._pressures:
            totals = {line.split()[0]: line.rpartition("total=")[2] for line in file.text().splitlines()}
            for kind, word in kinds:
                if kind in totals:
                    yield Sample(f"node_pressure_{name}_{word}_seconds_total", (), int(totals[kind]) / 1e6)

    def _disk_counters(self) -> Iterator[Sample]:
        for line in self._disks.text().splitlines():
            device, *columns = line.split()[2:]
            if WHOLE_DISK.fullmatch(device):
                for column, name, scale in DISK:
                    yield Sample(f"node_disk_{name}", (("device", device),), int(columns[column]) * scale)

    def _network_counters(self) -> Iterator[Sample]:
        for device, columns in interfaces(self._network.text()):
            labels = pairs({"device": device})
            for column, name in NETWORK:
                yield Sample(f"node_network_{name}", labels, float(columns[column]))


def interfaces(text: str) -> Iterator[Tuple[str, List[str]]]:
    """The rows of /proc/net/dev that are worth sampling."""
    for line in text.splitlines()[2:]:
        device, _, columns = line.partition(":")
        if not NO_NETWORK.fullmatch(device.strip()):
            yield device.strip(), columns.split()
