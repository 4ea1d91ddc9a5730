"""Expressions shared by several dashboards.

The metric names are those of dcgm-exporter and those under which lockstep stores trainers' metrics. `where` is the
contents of a selector's braces.
"""

WINDOW = "[$__rate_interval]"
JOB = 'job="$job"'
OF_JOB = 'job="$job",rank=~"$rank"'
OF_DATA = OF_JOB + ',phase=~"data|h2d"'
GPU = 'job="$job",gpu=~"$gpu"'

# The most that kernels reach: tensor pipe activity at the dense bf16 peak, and DRAM activity at peak bandwidth.
TENSOR_PEAK = 0.93
DRAM_PEAK = 0.88


def mean(metric, where, window=WINDOW):
    return f"avg_over_time({metric}{{{where}}}{window})"


def step_seconds(where, window=WINDOW):
    return mean("train_step_time_seconds", where, window)


def wait_seconds(where, window=WINDOW):
    """Seconds of a step spent in the all-reduce, including waiting: from the phases, or as logged by PhaseTimer."""
    return (mean("train_phase_seconds", f'{where},phase="allreduce"', window) + " or " +
            mean("allreduce_time_s", where, window))


def early(where, window=WINDOW):
    """How much less a rank waits than the median rank of its job, as a share of the step: the others wait for it."""
    wait = wait_seconds(where, window)
    return (f"(quantile by (job) (0.5, {wait}) - on (job) group_right () ({wait}))"
            f" / on (job, rank) {step_seconds(where, window)}")


def wait_share(where, window=WINDOW):
    return f"({wait_seconds(where, window)}) / on (job, rank) {step_seconds(where, window)}"


def compute_share(where, window=WINDOW):
    """Tensor pipe activity, relative to what kernels can reach."""
    return f"{mean('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', where, window)} / {TENSOR_PEAK}"


def memory_share(where, window=WINDOW):
    """DRAM activity, relative to what kernels can reach."""
    return f"{mean('DCGM_FI_PROF_DRAM_ACTIVE', where, window)} / {DRAM_PEAK}"


def step_number(where):
    """The step as lockstep stores it with pushed data, or under the name used in the trainers' recordings."""
    return f"max(lockstep_step{{{where}}} or train_step{{{where}}})"
