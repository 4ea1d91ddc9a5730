"""The GPU that this process trains on, as torch knows it."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, Optional


class OwnGpu(NamedTuple):
    """`index` is the GPU's place on its host as the driver counts, "" if that is not known."""

    index: str
    uuid: str
    model: str


def own_gpu() -> Optional[OwnGpu]:
    """The current device of the calling thread; None as long as the program has none in use. Never raises."""
    torch = sys.modules.get("torch")
    try:
        if torch is None or not torch.cuda.is_initialized():
            return None
        index = torch.cuda.current_device()
        properties = torch.cuda.get_device_properties(index)
        uuid = str(getattr(properties, "uuid", ""))
        return OwnGpu(_index_on_host(index), f"GPU-{uuid}" if uuid else "", properties.name)
    except Exception:  # A library that is half set up must not stop a training.
        return None


def _index_on_host(index: int) -> str:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return str(index)
    listed = visible.split(",")
    return listed[index].strip() if index < len(listed) and listed[index].strip().isdigit() else ""
