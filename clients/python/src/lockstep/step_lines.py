"""Encodes one step as a line of JSON for POST /api/v1/push/steps."""

from __future__ import annotations

import json
import math
import sys
from typing import Any, Dict, Mapping, NamedTuple

from lockstep.identity import Identity

# Names in a line that identify the step instead of being measurements.
RESERVED = ("job", "run", "rank", "attempt", "step", "time")


class StepRecord(NamedTuple):
    """Values logged for one step at one time, in Unix seconds."""

    step: int
    time_s: float
    values: Mapping[str, Any]


class HeldTensor:
    """A copy of a tensor on a GPU. It is made on another stream than its reader's."""

    def __init__(self, tensor: Any) -> None:
        if tensor.numel() != 1:
            raise ValueError(f"a tensor of {tensor.numel()} elements is not a number")
        self._copy = tensor.detach().clone()
        self._copied = None
        if tensor.is_cuda:
            cuda = sys.modules["torch"].cuda
            self._copied = cuda.Event()
            self._copied.record(cuda.current_stream(tensor.device))

    def item(self) -> Any:
        """The number, once the GPU has made the copy."""
        if self._copied is not None:
            self._copied.synchronize()
        return self._copy.item()


def identity_fields(identity: Identity) -> Dict[str, Any]:
    """The fields that all lines of a process share."""
    fields: Dict[str, Any] = {"job": identity.job, "rank": identity.rank}
    if identity.run:
        fields["run"] = identity.run
    if identity.attempt is not None:
        fields["attempt"] = identity.attempt
    return fields


def hold(value: Any) -> Any:
    """A snapshot of a value until it is written, which the training cannot change.

    Cheap, and never waits for a GPU: for a tensor on a device, it starts a copy on that device. Raises
    for anything but a number, text or None.
    """
    if value is None or type(value) in (float, int, bool, str):
        return value
    if hasattr(value, "is_cuda") and value.device.type != "cpu":
        return HeldTensor(value)
    return value.item() if hasattr(value, "item") else float(value)


def as_json(value: Any) -> Any:
    """The value for JSON: a number, 0 or 1 for a bool, text for text and for numbers that JSON lacks.

    Waits for the device of a device tensor. Raises what the conversion raises.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return int(value)
    number = value if isinstance(value, (int, float)) else value.item()
    if isinstance(number, float) and not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return number


def encode(shared: Mapping[str, Any], record: StepRecord) -> bytes:
    """The record as one line with its line end; drops values that are None.

    Raises what converting its values raises.
    """
    line = {**shared, "step": record.step, "time": round(record.time_s, 3)}
    for name, value in record.values.items():
        if value is not None:
            line[name] = as_json(value)
    return json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n"
