"""Expressions that several dashboards have in common.

Names are those of dcgm-exporter and of what lockstep stores of trainers. `where` is what stands in a selector's braces.
"""

WINDOW = "[$__rate_interval]"
JOB = 'job="$job"'
OF_JOB = 'job="$job",rank=~"$rank"'
OF_DATA = OF_JOB + ',phase=~"data|h2d"'
GPU = 'job="$job",gpu=~"$gpu"'

# Of the dense bf16 peak 0.93 of the tensor pipe and of the memory peak 0.88 of DRAM's activity are what kernels reach.
TENSOR_PEAK = 0.93
DRAM_PEAK = 0.88


def mean(metric, where, window=WINDOW):
    return f"avg_over_time({metric}{{{where}}}{window})"


def step_seconds(where, window=WINDOW):
    return mean("train_step_time_seconds", where, window)


def wait_seconds(where, window=WINDOW):
    """Seconds of a step that a rank spends in the all-reduce, waiting included: the phase, or what PhaseTimer logs."""
    return (mean("train_phase_seconds", f'{where},phase="allreduce"', window) + " or " +
            mean("allreduce_time_s", where, window))


def early(where, window=WINDOW):
    """By how much of a step a rank waits less than the median rank of its job: the others wait for it."""
    wait = wait_seconds(where, window)
    return (f"(quantile by (job) (0.5, {wait}) - on (job) group_right () ({wait}))"
            f" / on (job, rank) {step_seconds(where, window)}")


def wait_share(where, window=WINDOW):
    return f"({wait_seconds(where, window)}) / on (job, rank) {step_seconds(where, window)}"


def compute_share(where, window=WINDOW):
    """How much of what the tensor pipe can give is used."""
    return f"{mean('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', where, window)} / {TENSOR_PEAK}"


def memory_share(where, window=WINDOW):
    """How much of the bandwidth that memory can give is used."""
    return f"{mean('DCGM_FI_PROF_DRAM_ACTIVE', where, window)} / {DRAM_PEAK}"


def step_number(where):
    """The step as lockstep stores it beside what is pushed, or as the recordings of trainers call it."""
    return f"max(lockstep_step{{{where}}} or train_step{{{where}}})"
