"""The questions that the demo asks: six well-known GPU queries as found in handbooks and, next to each
misleading one, a query that answers what was meant."""

from typing import NamedTuple

# Times in the recording, in Unix seconds (data/truth.json has the start and end of every job).
HEALTHY = 1795242090
STRAGGLER_LATE_GPU = 1795242195
STRAGGLER_LATE_LOADER = 1795242232
MEMORY_BOUND = 1795242259
STRAGGLER_LATE_COPIES = 1795242352
LEAK = 1795242510
# The job that the demo reports on, and the start of its recording.
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
        "share of step", means)


QUESTIONS = (
    Question(
        "1. Memory: how full are the GPUs?", HEALTHY,
        "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) * 100", "%",
        "The job uses 29 % of each GPU's memory. Rows without a job are the same GPUs before it\n"
        "started: an instant query looks back five minutes."),
    Question(
        "2. Memory-bound, the handbook's rule", MEMORY_BOUND,
        "DCGM_FI_PROF_DRAM_ACTIVE > 0.8 and DCGM_FI_PROF_SM_ACTIVE < 0.3", "ratio",
        "No result, although this job streams memory at full speed: SM_ACTIVE counts warps that wait\n"
        "for memory as active, so the rule cannot fire."),
    Question(
        "2b. Memory-bound, memory compared with the tensor pipe", MEMORY_BOUND,
        "(avg_over_time(DCGM_FI_PROF_DRAM_ACTIVE[20s]) / 0.88 > 0.75) and on (UUID, job)\n"
        "  (avg_over_time(DCGM_FI_PROF_DRAM_ACTIVE[20s]) / 0.88 > on (UUID, job)\n"
        "   1.25 * avg_over_time(DCGM_FI_PROF_PIPE_TENSOR_ACTIVE[20s]) / 0.93)", "share of peak",
        "All four GPUs use almost all of the available memory bandwidth: memory-bound."),
    Question(
        "3. Stragglers, the handbook's rule", STRAGGLER_LATE_LOADER,
        "stddev_over_time(DCGM_FI_PROF_SM_ACTIVE[5m]) > 0.15", "stddev",
        "This is the variance over time on one GPU: it fires on jobs that merely start or end within\n"
        "the window, and cannot tell which rank is late."),
    waits_least("3b", "straggler-gpu", STRAGGLER_LATE_GPU,
                "Rank 2: it waits least in the all-reduce, so the others wait for it (its GPU has\n"
                "extra work)."),
    waits_least("3c", "straggler-loader", STRAGGLER_LATE_LOADER,
                "Rank 1: the others wait for it for a fifth of every step (its data loader is slow)."),
    waits_least("3d", "straggler-pcie", STRAGGLER_LATE_COPIES,
                "Rank 3: it copies too much over PCIe in every step."),
    Question(
        "4. PCIe saturation, the handbook's rule", STRAGGLER_LATE_COPIES,
        "rate(DCGM_FI_PROF_PCIE_RX_BYTES[1m]) > 15e9", "B/s per s",
        "No result: the metric is a gauge in bytes per second, so its rate() is meaningless."),
    Question(
        "4b. PCIe saturation, the gauge compared with the link (Gen5 x16: 63 GB/s)",
        STRAGGLER_LATE_COPIES,
        'avg_over_time(DCGM_FI_PROF_PCIE_RX_BYTES{job="straggler-pcie"}[20s]) / 63e9 * 100', "%",
        "GPU 3 receives hundreds of times as much as its peers; no link is saturated (80 % would be)."),
    Question(
        "5. Power", HEALTHY,
        "avg_over_time(DCGM_FI_DEV_POWER_USAGE[5m])", "W",
        "A healthy bf16 job draws as much as the 700 W limit allows."),
    Question(
        "5b. Power from the energy counter, exact over 20 s", HEALTHY,
        "rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[20s]) / 1000", "W",
        "The same without sampling error: the GPU itself integrates its power."),
    Question(
        "6. Energy cost, the handbook's formula", HEALTHY,
        "(DCGM_FI_DEV_POWER_USAGE / 1000) * 0.12 * (1/3600)", "USD",
        "This is dollars per second at 0.12 USD per kWh; it is often misread as dollars per hour."),
    Question(
        "6b. Energy cost per job", LEAK,
        'sum by (job) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{job!=""}[10m]))'
        " / 3.6e9 * 0.12", "USD",
        "The energy cost of each recorded job, from the energy counters."),
)
