"""GPU metrics with dcgm-exporter's names and units, from NVML and its profiling counters (GPM).

DCGM_FI_PROF_* are averages since the previous sample: ratios of 0 to 1, and bytes per second.
"""

from __future__ import annotations

from typing import Callable, Iterable, Iterator, Optional, Tuple

from lockstep.agent.nvml import (CLOCK_MEMORY, CLOCK_SM, ECC_CORRECTED, ECC_UNCORRECTED, POLICY_POWER,
                                 POLICY_THERMAL, Device, Nvml)
from lockstep.agent.samples import LabelPairs, Sample, Sampler, pairs

MIB = 1 << 20
PERCENT = 0.01
# NVML's number of a profiling counter, DCGM's name, and the factor for NVML's percent or MiB/s.
PROFILING = (
    (1, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", PERCENT),
    (2, "DCGM_FI_PROF_SM_ACTIVE", PERCENT),
    (3, "DCGM_FI_PROF_SM_OCCUPANCY", PERCENT),
    (5, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", PERCENT),
    (10, "DCGM_FI_PROF_DRAM_ACTIVE", PERCENT),
    (11, "DCGM_FI_PROF_PIPE_FP64_ACTIVE", PERCENT),
    (12, "DCGM_FI_PROF_PIPE_FP32_ACTIVE", PERCENT),
    (13, "DCGM_FI_PROF_PIPE_FP16_ACTIVE", PERCENT),
    (20, "DCGM_FI_PROF_PCIE_TX_BYTES", MIB),
    (21, "DCGM_FI_PROF_PCIE_RX_BYTES", MIB),
    (60, "DCGM_FI_PROF_NVLINK_RX_BYTES", MIB),
    (61, "DCGM_FI_PROF_NVLINK_TX_BYTES", MIB),
)
Reading = Tuple[str, Callable[[Device], Optional[int]], float]
READINGS: Tuple[Reading, ...] = (
    ("DCGM_FI_DEV_SM_CLOCK", lambda gpu: gpu.clock_mhz(CLOCK_SM), 1),
    ("DCGM_FI_DEV_MEM_CLOCK", lambda gpu: gpu.clock_mhz(CLOCK_MEMORY), 1),
    ("DCGM_FI_DEV_GPU_TEMP", Device.temperature_c, 1),
    ("DCGM_FI_DEV_MEMORY_TEMP", Device.memory_temperature_c, 1),
    ("DCGM_FI_DEV_POWER_USAGE", Device.power_mw, 0.001),
    ("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", Device.power_limit_mw, 0.001),
    ("DCGM_FI_DEV_PSTATE", Device.performance_state, 1),
    ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", Device.throttle_reasons, 1),
    ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", lambda gpu: gpu.ecc_errors(ECC_CORRECTED), 1),
    ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", lambda gpu: gpu.ecc_errors(ECC_UNCORRECTED), 1),
)
# Counters that take the driver milliseconds to read: more than all others together.
COSTLY_READINGS: Tuple[Reading, ...] = (
    ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", Device.energy_mj, 1),
    ("DCGM_FI_DEV_POWER_VIOLATION", lambda gpu: gpu.violation_ns(POLICY_POWER), 1),
    ("DCGM_FI_DEV_THERMAL_VIOLATION", lambda gpu: gpu.violation_ns(POLICY_THERMAL), 1),
    ("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", Device.pcie_replays, 1),
)
COSTLY_EVERY_SAMPLES = 10


class GpuSampler(Sampler):
    """All GPUs of the host. `host` is the value of the label Hostname."""

    def __init__(self, nvml: Nvml, host: str) -> None:
        self._gpus = [Gpu(device, host) for device in nvml.devices()]

    def sample(self) -> Iterable[Sample]:
        for gpu in self._gpus:
            yield from gpu.sample()


class Gpu:
    """One GPU with dcgm-exporter's labels."""

    def __init__(self, device: Device, host: str) -> None:
        self._device = device
        self._gpm = device.gpm([number for number, _, _ in PROFILING])
        self._labels: LabelPairs = pairs({
            "gpu": str(device.index), "UUID": device.uuid(), "pci_bus_id": device.pci_bus_id(),
            "device": f"nvidia{device.index}", "modelName": device.name(), "Hostname": host})
        # Values that the GPU does not report now, it will not report later either.
        self._readings = [reading for reading in READINGS if reading[1](device) is not None]
        self._costly_readings = [reading for reading in COSTLY_READINGS if reading[1](device) is not None]
        # The GPUs of a host take turns.
        self._samples_until_costly = device.index % COSTLY_EVERY_SAMPLES

    def sample(self) -> Iterator[Sample]:
        for name, value in self._values():
            yield Sample(name, self._labels, float(value))

    def _values(self) -> Iterator[Tuple[str, float]]:
        device = self._device
        yield from self._read(self._readings)
        if self._samples_until_costly == 0:
            yield from self._read(self._costly_readings)
        self._samples_until_costly = (self._samples_until_costly - 1) % COSTLY_EVERY_SAMPLES
        used = device.utilization()
        if used is not None:
            yield "DCGM_FI_DEV_GPU_UTIL", used.gpu
            yield "DCGM_FI_DEV_MEM_COPY_UTIL", used.memory
        yield from self._memory()
        rows = device.remapped_rows()
        if rows is not None:
            yield "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", rows[0]
            yield "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", rows[1]
            yield "DCGM_FI_DEV_ROW_REMAP_FAILURE", rows[3]
        told = self._gpm.read() if self._gpm is not None else {}
        for number, name, factor in PROFILING:
            if number in told:
                yield name, told[number] * factor

    def _read(self, readings: Iterable[Reading]) -> Iterator[Tuple[str, float]]:
        for name, read, scale in readings:
            value = read(self._device)
            if value is not None:
                yield name, value * scale

    def _memory(self) -> Iterator[Tuple[str, float]]:
        memory = self._device.memory()
        if memory is not None:
            for name, size in (("TOTAL", memory.total), ("USED", memory.used), ("FREE", memory.free),
                               ("RESERVED", memory.reserved)):
                yield f"DCGM_FI_DEV_FB_{name}", size / MIB
