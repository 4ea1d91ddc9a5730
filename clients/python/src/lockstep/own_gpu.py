"""The GPU that this process trains on, according to torch."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, Optional


class OwnGpu(NamedTuple):
    """`index` is the GPU's index on its host as numbered by the driver, "" if unknown."""

    index: str
    uuid: str
    model: str


def own_gpu() -> Optional[OwnGpu]:
    """The current device of the calling thread; None while the program uses none. Never raises."""
    torch = sys.modules.get("torch")
    try:
        if torch is None or not torch.cuda.is_initialized():
            return None
        index = torch.cuda.current_device()
        properties = torch.cuda.get_device_properties(index)
        uuid = str(getattr(properties, "uuid", ""))
        return OwnGpu(_index_on_host(index), f"GPU-{uuid}" if uuid else "", properties.name)
    except Exception:  # A partly initialised library must not stop a training.
        return None


def _index_on_host(index: int) -> str:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return str(index)
    listed = visible.split(",")
    return listed[index].strip() if index < len(listed) and listed[index].strip().isdigit() else ""
