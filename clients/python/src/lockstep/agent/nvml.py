"""The parts of libnvidia-ml that the agent needs, through ctypes.

Structures and numbers are those of NVIDIA's nvml.h. A call that fails, or that a GPU or driver does
not support, gives None: counters differ from chip to chip.
"""

from __future__ import annotations

import ctypes
from ctypes import (Structure, byref, c_char, c_char_p, c_double, c_int, c_int64, c_uint, c_ulonglong,
                    c_void_p)
from typing import Any, Dict, List, Optional, Sequence

LIBRARY = "libnvidia-ml.so.1"
SUCCESS = 0
TEXT_BYTES = 96
CLOCK_SM, CLOCK_MEMORY = 1, 2
TEMPERATURE_GPU = 0
POLICY_POWER, POLICY_THERMAL = 0, 1
ECC_CORRECTED, ECC_UNCORRECTED = 0, 1
ECC_SINCE_BOOT = 0
FIELD_MEMORY_TEMPERATURE = 82
MEMORY_VERSION = 40 | 2 << 24  # The size of the structure, and the version of its layout.
GPM_VERSION = 1


class NvmlError(Exception):
    """The library is missing, or an essential call failed."""


class Memory(Structure):
    _fields_ = [("version", c_uint), ("total", c_ulonglong), ("reserved", c_ulonglong), ("free", c_ulonglong),
                ("used", c_ulonglong)]


class Utilization(Structure):
    _fields_ = [("gpu", c_uint), ("memory", c_uint)]


class PciInfo(Structure):
    _fields_ = [("bus_id_legacy", c_char * 16), ("domain", c_uint), ("bus", c_uint), ("device", c_uint),
                ("device_id", c_uint), ("subsystem_id", c_uint), ("bus_id", c_char * 32)]


class Violation(Structure):
    _fields_ = [("reference_ns", c_ulonglong), ("violation_ns", c_ulonglong)]


class FieldValue(Structure):
    """The value is a union of eight bytes; the fields requested here are unsigned ints."""

    _fields_ = [("field", c_uint), ("scope", c_uint), ("timestamp_us", c_int64), ("latency_us", c_int64),
                ("type", c_uint), ("status", c_int), ("value", c_uint), ("rest", c_uint)]


class GpmSupport(Structure):
    _fields_ = [("version", c_uint), ("supported", c_uint)]


class GpmMetric(Structure):
    _fields_ = [("metric", c_uint), ("status", c_int), ("value", c_double), ("short_name", c_char_p),
                ("long_name", c_char_p), ("unit", c_char_p)]


class Nvml:
    """The library, initialised. For one thread at a time."""

    def __init__(self, library: str = LIBRARY) -> None:
        """Raises NvmlError if there is no library or no driver."""
        try:
            self._library = ctypes.CDLL(library)
        except OSError as error:
            raise NvmlError(str(error)) from error
        if not self.call("nvmlInit_v2"):
            raise NvmlError("nvmlInit_v2 failed: is the driver loaded?")

    def call(self, name: str, *arguments: Any) -> bool:
        """Calls a function of the library; returns whether it succeeded."""
        function = getattr(self._library, name, None)
        return function is not None and function(*arguments) == SUCCESS

    def devices(self) -> List["Device"]:
        """All GPUs that can be opened, in the library's order."""
        count = c_uint()
        self.call("nvmlDeviceGetCount_v2", byref(count))
        found = []
        for index in range(count.value):
            handle = c_void_p()
            if self.call("nvmlDeviceGetHandleByIndex_v2", c_uint(index), byref(handle)):
                found.append(Device(self, index, handle))
        return found

    def close(self) -> None:
        self.call("nvmlShutdown")


class Device:
    """One GPU. Values have NVML's units; None if this GPU does not report them."""

    def __init__(self, nvml: Nvml, index: int, handle: c_void_p) -> None:
        self.index = index
        self._nvml = nvml
        self._handle = handle

    def _ask(self, name: str, result: Any, *arguments: Any) -> Any:
        """Calls a function with the device, arguments and `result`, which it fills; returns `result`."""
        return result if self._nvml.call(name, self._handle, *arguments, byref(result)) else None

    def _uint(self, name: str, *arguments: Any) -> Optional[int]:
        value = self._ask(name, c_uint(), *arguments)
        return None if value is None else int(value.value)

    def _ulonglong(self, name: str, *arguments: Any) -> Optional[int]:
        value = self._ask(name, c_ulonglong(), *arguments)
        return None if value is None else int(value.value)

    def _text(self, name: str) -> str:
        text = ctypes.create_string_buffer(TEXT_BYTES)
        told = self._nvml.call(name, self._handle, text, c_uint(TEXT_BYTES))
        return text.value.decode(errors="replace") if told else ""

    def name(self) -> str:
        return self._text("nvmlDeviceGetName")

    def uuid(self) -> str:
        return self._text("nvmlDeviceGetUUID")

    def pci_bus_id(self) -> str:
        told = self._ask("nvmlDeviceGetPciInfo_v3", PciInfo())
        return "" if told is None else told.bus_id.decode(errors="replace")

    def clock_mhz(self, clock: int) -> Optional[int]:
        return self._uint("nvmlDeviceGetClockInfo", c_uint(clock))

    def temperature_c(self) -> Optional[int]:
        return self._uint("nvmlDeviceGetTemperature", c_uint(TEMPERATURE_GPU))

    def memory_temperature_c(self) -> Optional[int]:
        value = FieldValue(field=FIELD_MEMORY_TEMPERATURE)
        told = self._nvml.call("nvmlDeviceGetFieldValues", self._handle, c_int(1), byref(value))
        return int(value.value) if told and value.status == SUCCESS else None

    def power_mw(self) -> Optional[int]:
        return self._uint("nvmlDeviceGetPowerUsage")

    def power_limit_mw(self) -> Optional[int]:
        return self._uint("nvmlDeviceGetEnforcedPowerLimit")

    def energy_mj(self) -> Optional[int]:
        return self._ulonglong("nvmlDeviceGetTotalEnergyConsumption")

    def utilization(self) -> Optional[Utilization]:
        told: Optional[Utilization] = self._ask("nvmlDeviceGetUtilizationRates", Utilization())
        return told

    def memory(self) -> Optional[Memory]:
        told: Optional[Memory] = self._ask("nvmlDeviceGetMemoryInfo_v2", Memory(version=MEMORY_VERSION))
        return told

    def performance_state(self) -> Optional[int]:
        return self._uint("nvmlDeviceGetPerformanceState")

    def throttle_reasons(self) -> Optional[int]:
        return self._ulonglong("nvmlDeviceGetCurrentClocksThrottleReasons")

    def pcie_replays(self) -> Optional[int]:
        return self._uint("nvmlDeviceGetPcieReplayCounter")

    def ecc_errors(self, kind: int) -> Optional[int]:
        return self._ulonglong("nvmlDeviceGetTotalEccErrors", c_uint(kind), c_uint(ECC_SINCE_BOOT))

    def violation_ns(self, policy: int) -> Optional[int]:
        told = self._ask("nvmlDeviceGetViolationStatus", Violation(), c_uint(policy))
        return None if told is None else int(told.violation_ns)

    def remapped_rows(self) -> Optional[List[int]]:
        """Rows remapped for correctable and uncorrectable errors, whether any are pending, whether one failed."""
        values = [c_uint() for _ in range(4)]
        told = self._nvml.call("nvmlDeviceGetRemappedRows", self._handle, *map(byref, values))
        return [int(value.value) for value in values] if told else None

    def gpm(self, metrics: Sequence[int]) -> Optional["Gpm"]:
        """The profiling counters with those numbers, if this GPU has any (Hopper and later)."""
        support = self._ask("nvmlGpmQueryDeviceSupport", GpmSupport(version=GPM_VERSION))
        if support is None or not support.supported:
            return None
        return Gpm(self._nvml, self._handle, metrics)


class Gpm:
    """Profiling counters of one GPU: averages over the time between two readings."""

    def __init__(self, nvml: Nvml, handle: c_void_p, metrics: Sequence[int]) -> None:
        self._nvml = nvml
        self._handle = handle

        class MetricsGet(Structure):
            """The library reads the first `count` metrics."""

            _fields_ = [("version", c_uint), ("count", c_uint), ("before", c_void_p), ("now", c_void_p),
                        ("metrics", GpmMetric * len(metrics))]

        self._request = MetricsGet(version=GPM_VERSION, count=len(metrics))
        for slot, metric in zip(self._request.metrics, metrics):
            slot.metric = metric
        self._before, self._now = c_void_p(), c_void_p()
        self._has_before = False
        for sample in (self._before, self._now):
            nvml.call("nvmlGpmSampleAlloc", byref(sample))

    def read(self) -> Dict[int, float]:
        """The averages since the last call by metric, in NVML's units; none on the first call."""
        if not self._nvml.call("nvmlGpmSampleGet", self._handle, self._now):
            return {}
        self._request.before, self._request.now = self._before, self._now
        told = self._has_before and self._nvml.call("nvmlGpmMetricsGet", byref(self._request))
        self._before, self._now = self._now, self._before
        self._has_before = True
        return {slot.metric: slot.value for slot in self._request.metrics if slot.status == SUCCESS} if told else {}
