"""The questions that the demo asks: six well-known GPU queries as they are found in handbooks, and
beside each one that misleads, the form that answers what was meant."""

from typing import NamedTuple

# Moments of the recording, in Unix seconds (data/truth.json has every job's begin and end).
HEALTHY = 1795242090
STRAGGLER_LATE_GPU = 1795242195
STRAGGLER_LATE_LOADER = 1795242232
MEMORY_BOUND = 1795242259
STRAGGLER_LATE_COPIES = 1795242352
LEAK = 1795242510
# The job that the demo reports on, and when its recording began.
REPORTED_JOB = "straggler-gpu"
REPORTED_JOB_BEGAN = 1795242155.099


class Question(NamedTuple):
    title: str
    time: int
    query: str
    unit: str
    means: str


def waits_least(number, job, time, means):
    """Which rank of `job` the others wait for."""
    wait = f'avg_over_time(train_phase_seconds{{job="{job}",phase="allreduce"}}[20s])'
    return Question(
        f"{number}. Stragglers: which rank of '{job}' do the others wait for?", time,
        f"(quantile by (job) (0.5, {wait})\n"
        f"  - on (job) group_right () {wait})\n"
        f'/ on (job, rank) avg_over_time(train_step_time_seconds{{job="{job}"}}[20s]) > 0.02',
        "of a step", means)


QUESTIONS = (
    Question(
        "1. Memory: how full are the GPUs?", HEALTHY,
        "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) * 100", "%",
        "The job fills 29 % of each GPU. Rows without a job are the same GPUs before it began:\n"
        "an instant query looks back five minutes."),
    Question(
        "2. Memory-bound, the handbook's rule", MEMORY_BOUND,
        "DCGM_FI_PROF_DRAM_ACTIVE > 0.8 and DCGM_FI_PROF_SM_ACTIVE < 0.3", "ratio",
        "Nothing, although this job streams memory at full rate: SM_ACTIVE counts warps that wait\n"
        "for memory as active, so the rule cannot fire."),
    Question(
        "2b. Memory-bound, memory held against the tensor pipe", MEMORY_BOUND,
        "(avg_over_time(DCGM_FI_PROF_DRAM_ACTIVE[20s]) / 0.88 > 0.75) and on (UUID, job)\n"
        "  (avg_over_time(DCGM_FI_PROF_DRAM_ACTIVE[20s]) / 0.88 > on (UUID, job)\n"
        "   1.25 * avg_over_time(DCGM_FI_PROF_PIPE_TENSOR_ACTIVE[20s]) / 0.93)", "of the peak",
        "All four GPUs use nearly all of the bandwidth that memory can give: memory-bound."),
    Question(
        "3. Stragglers, the handbook's rule", STRAGGLER_LATE_LOADER,
        "stddev_over_time(DCGM_FI_PROF_SM_ACTIVE[5m]) > 0.15", "stddev",
        "That is variance in time on one GPU: it fires on jobs that merely begin or end inside the\n"
        "window, and cannot tell which rank is late."),
    waits_least("3b", "straggler-gpu", STRAGGLER_LATE_GPU,
                "Rank 2: it waits least in the all-reduce, so the others wait for it (its GPU has\n"
                "extra work)."),
    waits_least("3c", "straggler-loader", STRAGGLER_LATE_LOADER,
                "Rank 1: the others wait for it a fifth of every step (its data loader is slow)."),
    waits_least("3d", "straggler-pcie", STRAGGLER_LATE_COPIES,
                "Rank 3: it copies too much over PCIe in every step."),
    Question(
        "4. PCIe saturation, the handbook's rule", STRAGGLER_LATE_COPIES,
        "rate(DCGM_FI_PROF_PCIE_RX_BYTES[1m]) > 15e9", "B/s per s",
        "Nothing: the counter is a gauge in bytes per second, so its rate() means nothing."),
    Question(
        "4b. PCIe saturation, the gauge held against the link (Gen5 x16: 63 GB/s)",
        STRAGGLER_LATE_COPIES,
        'avg_over_time(DCGM_FI_PROF_PCIE_RX_BYTES{job="straggler-pcie"}[20s]) / 63e9 * 100', "%",
        "GPU 3 takes in hundreds of times what its peers do; no link is full (80 % would be)."),
    Question(
        "5. Power", HEALTHY,
        "avg_over_time(DCGM_FI_DEV_POWER_USAGE[5m])", "W",
        "A healthy bf16 job draws all that the 700 W limit allows."),
    Question(
        "5b. Power from the energy counter, exact over 20 s", HEALTHY,
        "rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[20s]) / 1000", "W",
        "The same without sampling error: the board itself integrates."),
    Question(
        "6. Energy cost, the handbook's formula", HEALTHY,
        "(DCGM_FI_DEV_POWER_USAGE / 1000) * 0.12 * (1/3600)", "USD",
        "That is dollars per second, at 0.12 USD per kWh; it is often read as per hour."),
    Question(
        "6b. Energy cost per job", LEAK,
        'sum by (job) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{job!=""}[10m]))'
        " / 3.6e9 * 0.12", "USD",
        "What the energy of each recorded job cost, from the counters."),
)
