"""InfiniBand and RoCE port metrics, from /sys/class/infiniband, with node_exporter's names."""

from __future__ import annotations

import pathlib
from typing import Iterable, List, Tuple

from lockstep.agent.kernel_file import KernelFile
from lockstep.agent.samples import LabelPairs, Sample, Sampler, pairs

# File, name after node_infiniband_, scale: data is counted in four-byte words.
COUNTERS = (
    ("port_rcv_data", "port_data_received_bytes_total", 4),
    ("port_xmit_data", "port_data_transmitted_bytes_total", 4),
    ("port_rcv_packets", "port_packets_received_total", 1),
    ("port_xmit_packets", "port_packets_transmitted_total", 1),
    ("port_rcv_errors", "port_errors_received_total", 1),
    ("port_xmit_discards", "port_discards_transmitted_total", 1),
    ("port_xmit_wait", "port_transmit_wait_total", 1),
    ("symbol_error", "symbol_error_total", 1),
    ("link_downed", "link_downed_total", 1),
    ("link_error_recovery", "link_error_recovery_total", 1),
    ("local_link_integrity_errors", "local_link_integrity_errors_total", 1),
    ("excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors_total", 1),
)


class InfinibandSampler(Sampler):
    """Reads below `root`, which is / except in tests. Looks for adapters once, in the constructor."""

    def __init__(self, root: pathlib.Path = pathlib.Path("/")) -> None:
        self._counters: List[Tuple[KernelFile, str, LabelPairs, int]] = []
        for port in sorted((root / "sys/class/infiniband").glob("*/ports/*")):
            labels = pairs({"device": port.parent.parent.name, "port": port.name})
            self._counters += [(KernelFile(port / "counters" / file), f"node_infiniband_{name}", labels, scale)
                               for file, name, scale in COUNTERS if (port / "counters" / file).exists()]

    def sample(self) -> Iterable[Sample]:
        for file, name, labels, scale in self._counters:
            text = file.text().strip()
            if text.isdigit():
                yield Sample(name, labels, float(int(text) * scale))
