"""A fleet's samples over weeks: counters, noisy gauges and constants that never repeat."""

import array
import itertools
import random
from typing import NamedTuple

from peers import remote_write

STEP_S = 60
SLICE_S = 6 * 3600
GPUS_PER_HOST = 8
HOSTS_PER_JOB = 8

# A sample in a request: tag, size and tag of the value; the value; tag and varint of the time.
VALUE_AT = 3
SAMPLE_BYTES = 18


class Metric(NamedTuple):
    name: str
    kind: str  # "counter", "gauge" or "constant"
    base: float = 0  # the value, or what a counter grows by in a step
    noise: float = 0  # the standard deviation
    digits: int = 0  # after the point


def metrics():
    share = [Metric(f"DCGM_FI_PROF_{name}", "gauge", base, noise, 6) for name, base, noise in (
        ("GR_ENGINE_ACTIVE", 0.93, 0.02), ("SM_ACTIVE", 0.71, 0.06), ("SM_OCCUPANCY", 0.22, 0.02),
        ("PIPE_TENSOR_ACTIVE", 0.41, 0.05), ("DRAM_ACTIVE", 0.38, 0.04))]
    traffic = [Metric(f"DCGM_FI_PROF_{name}", "gauge", base, base / 9) for name, base in (
        ("PCIE_TX_BYTES", 2.1e9), ("PCIE_RX_BYTES", 1.4e9), ("NVLINK_TX_BYTES", 4.4e10))]
    gauges = [Metric(f"DCGM_FI_DEV_{name}", "gauge", base, noise, digits)
              for name, base, noise, digits in (
                  ("POWER_USAGE", 612, 38, 3), ("GPU_TEMP", 61, 2.5, 0), ("MEMORY_TEMP", 74, 2, 0),
                  ("SM_CLOCK", 1755, 60, 0), ("GPU_UTIL", 96, 3, 0), ("MEM_COPY_UTIL", 44, 6, 0))]
    counters = [Metric(f"DCGM_FI_DEV_{name}", "counter", base, noise) for name, base, noise in (
        ("TOTAL_ENERGY_CONSUMPTION", 36_720_000, 900_000), ("PCIE_REPLAY_COUNTER", 0.02, 0.3),
        ("NVLINK_BANDWIDTH_TOTAL", 2.6e12, 1e11), ("POWER_VIOLATION", 3_100, 900),
        ("THERMAL_VIOLATION", 2, 3), ("CORRECTABLE_REMAPPED_ROWS", 0, 0.2))]
    constants = [Metric(f"DCGM_FI_DEV_{name}", "constant", base) for name, base in (
        ("MEM_CLOCK", 2619), ("FB_TOTAL", 143_771), ("FB_RESERVED", 627), ("XID_ERRORS", 0),
        ("UNCORRECTABLE_REMAPPED_ROWS", 0), ("ROW_REMAP_FAILURE", 0), ("VGPU_LICENSE_STATUS", 0),
        ("POWER_MGMT_LIMIT", 700), ("ECC_DBE_VOL_TOTAL", 0), ("NVLINK_COUNT", 18))]
    return share + traffic + gauges + counters + constants


class Series:
    def __init__(self, metric, gpu, noise):
        host = gpu // GPUS_PER_HOST
        labels = {"__name__": metric.name, "Hostname": f"node-{host:05}",
                  "instance": f"node-{host:05}:9400", "job": f"pretrain-{host // HOSTS_PER_JOB:04}",
                  "gpu": str(gpu % GPUS_PER_HOST), "rank": str(gpu % (GPUS_PER_HOST * HOSTS_PER_JOB)),
                  "UUID": f"GPU-{(gpu + 1) * 0x9E3779B97F4A7C15 % 2**64:016x}",
                  "modelName": "NVIDIA H200"}
        self._labels = b"".join(remote_write.label(*pair) for pair in sorted(labels.items()))
        self._metric = metric
        self._noise = noise  # a value for each two random bytes
        self._last = 0.0  # of a counter

    def _values(self, random_bytes, count):
        if self._metric.kind == "constant":
            return array.array("d", [self._metric.base]) * count
        noisy = map(self._noise.__getitem__, array.array("H", random_bytes(2 * count)))
        if self._metric.kind == "gauge":
            return array.array("d", noisy)
        values = array.array("d", itertools.accumulate(noisy, initial=self._last))
        self._last = values[-1]
        return values[1:]

    def encoded(self, random_bytes, empty_samples):
        """Those samples with the next values, as a TimeSeries of a request."""
        samples = bytearray(empty_samples)
        values = self._values(random_bytes, len(samples) // SAMPLE_BYTES).tobytes()
        for byte in range(8):
            samples[VALUE_AT + byte::SAMPLE_BYTES] = values[byte::8]
        return remote_write.length_delimited(1, self._labels + samples)


class Fleet:
    """Series of all metrics of all GPUs, with points until `end_s`."""

    def __init__(self, hosts, days, end_s):
        self.end_s = end_s // SLICE_S * SLICE_S
        self.start_s = self.end_s - days * 86400
        self._random = random.Random(20261126)
        tables = {metric: self._table(metric) for metric in metrics()}
        self._series = [[Series(metric, host * GPUS_PER_HOST + gpu, table)
                         for gpu in range(GPUS_PER_HOST) for metric, table in tables.items()]
                        for host in range(hosts)]
        self.series_count = sum(len(of_host) for of_host in self._series)
        self.sample_count = self.series_count * (self.end_s - self.start_s) // STEP_S

    def _table(self, metric):
        if metric.kind == "constant":
            return None
        drawn = (self._random.gauss(metric.base, metric.noise) for _ in range(1 << 16))
        return [max(0.0, float(round(value, metric.digits))) for value in drawn]

    def slices(self):
        """(time of the first sample, bodies of requests), in the order of time."""
        for begin_s in range(self.start_s, self.end_s, SLICE_S):
            empty = b"".join(remote_write.sample(time_s * 1000, 0.0)
                             for time_s in range(begin_s, begin_s + SLICE_S, STEP_S))
            assert len(empty) == SLICE_S // STEP_S * SAMPLE_BYTES
            yield begin_s, self._bodies(empty)

    def _bodies(self, empty):
        for of_host in self._series:
            yield remote_write.snappy(b"".join(
                series.encoded(self._random.randbytes, empty) for series in of_host))
