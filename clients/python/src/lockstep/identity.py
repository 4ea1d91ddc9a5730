"""The job, run, rank and attempt of this process, from its launcher.

Checks environments in this order; for each value, the first one that has it wins: LOCKSTEP_* (set by
the user), torchrun, Open MPI and PMI, Slurm, Kubernetes.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from dataclasses import dataclass
from typing import Mapping, Optional

# The suffix that job controllers append to a job's name to name a pod: -worker-3, -master-0, -0,
# -0-x7k2p.
POD_SUFFIX = re.compile(r"(-(worker|master|launcher|chief|node))?-\d+(-[a-z0-9]{5})?$")
RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID",
        "JOB_COMPLETION_INDEX")
LOCAL_RANK = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")
WORLD_SIZE = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
# torchrun's default for an unnamed run.
UNNAMED_RUN = "none"
# When Slurm restarts a job, torchrun counts its restarts from 0 again.
ATTEMPTS_PER_SLURM_RESTART = 100


@dataclass(frozen=True)
class Identity:
    """A process of a job. `attempt` counts restarts from 0; None if unknown.

    `run` distinguishes runs of one job ("" if unknown), `world_size` is the number of ranks,
    `local_rank` the rank's index on its host.
    """

    job: str
    run: str
    rank: int
    attempt: Optional[int]
    local_rank: int
    world_size: int
    host: str


def find(environment: Optional[Mapping[str, str]] = None) -> Identity:
    """The identity of this process. Never fails: the defaults are rank 0 of 1, job "train"."""
    variables = os.environ if environment is None else environment
    rank, world_size = _of_torch() or (_number(variables, RANK), _number(variables, WORLD_SIZE))
    told = _number(variables, ("LOCKSTEP_RANK",))
    rank = rank if told is None else told
    return Identity(
        job=_job(variables), run=_run(variables), rank=rank or 0, attempt=_attempt(variables),
        local_rank=_number(variables, LOCAL_RANK) or 0, world_size=world_size or 1,
        host=_text(variables, ("NODE_NAME", "SLURMD_NODENAME")) or socket.gethostname())


def _text(variables: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((variables[name] for name in names if variables.get(name)), "")


def _number(variables: Mapping[str, str], names: tuple[str, ...]) -> Optional[int]:
    for name in names:
        if variables.get(name, "").strip().isdigit():
            return int(variables[name])
    return None


def _of_torch() -> Optional[tuple[int, int]]:
    """Rank and world size from torch.distributed, if the program has initialised it."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
    except Exception:  # A partly initialised library must not stop a training.
        pass
    return None


def _elastic_run(variables: Mapping[str, str]) -> str:
    run = variables.get("TORCHELASTIC_RUN_ID", "")
    return "" if run == UNNAMED_RUN else run


def _job(variables: Mapping[str, str]) -> str:
    named = _text(variables, ("LOCKSTEP_JOB", "SLURM_JOB_NAME", "JOB_NAME"))
    pod = POD_SUFFIX.sub("", variables.get("POD_NAME", ""))
    return named or pod or _elastic_run(variables) or "train"


def _run(variables: Mapping[str, str]) -> str:
    return (_text(variables, ("LOCKSTEP_RUN", "SLURM_JOB_ID")) or _elastic_run(variables) or
            variables.get("JOB_UID", ""))


def _attempt(variables: Mapping[str, str]) -> Optional[int]:
    told = _number(variables, ("LOCKSTEP_ATTEMPT",))
    if told is not None:
        return told
    elastic = _number(variables, ("TORCHELASTIC_RESTART_COUNT",))
    slurm = _number(variables, ("SLURM_RESTART_COUNT",))
    if not slurm:
        return elastic if elastic is not None else slurm
    return slurm * ATTEMPTS_PER_SLURM_RESTART + (elastic or 0)
