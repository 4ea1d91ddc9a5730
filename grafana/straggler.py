"""Which rank of a job do the others wait for, since when, and why?"""

from job import VARIABLES
from panels import annotated, bars, dashboard, history, lines, number
from words import GPU, JOB, OF_DATA, OF_JOB, early, mean, step_seconds, wait_seconds

LEGEND = "rank {{rank}}"
LEVELS = [(0.02, "yellow"), (0.05, "orange"), (0.1, "red")]


def behind(metric):
    """How far a GPU is below the median of its job."""
    value = mean(metric, GPU)
    return f"quantile by (job) (0.5, {value}) - on (job) group_right () {value}"


RANKS = [
    bars("Rank the others wait for", "How much less each rank waits than the median rank, as a share of the step. Above 0.05, the others wait for it.",
         early(JOB), LEGEND, "percentunit", width=6, low=0, high=0.3, limits=LEVELS),
    history("Over time", "The same value over time.", early(OF_JOB), LEGEND, "percentunit", width=12, low=0, high=0.3,
            limits=LEVELS),
    number("Time lost per step",
           "How much shorter a step would be if the rank that waits least waited as long as the median rank. An upper bound.",
           f"max(quantile by (job) (0.5, {wait_seconds(JOB)}) - on (job) group_right () ({wait_seconds(JOB)}))", "s",
           width=6),
    number("GPU-hours lost per hour", "The same, for all ranks of the job.",
           f"max({early(JOB)}) * count(count by (rank) (train_step_time_seconds{{{JOB}}}))", "h", width=6),
]
VERDICT = [
    history("Verdict", "1 while lockstep reports the rank as straggler, with the cause. It takes each rank's noise into account, so it reports later than a threshold but with fewer false alarms.",
            f"lockstep_straggler{{{JOB}}}", "rank {{rank}}: {{cause}}", width=12, low=0, high=1, limits=[(1, "red")]),
    lines("How late each rank is",
          "How far a rank's own time is above that of its peers, as a share of a step: median of the last 25 steps.",
          [(f"lockstep_straggler_score{{{OF_JOB}}}", LEGEND)], "percentunit", width=12, limits=[(0.025, "orange")]),
]
CAUSE = [
    lines("Own time", "Step time minus waiting: everything the rank does itself. It is highest for the straggler, even if its kernels are the fastest.",
          [(f"{step_seconds(OF_JOB)} - on (job, rank) group_right () ({wait_seconds(OF_JOB)})", LEGEND)], "s"),
    lines("Wait in all-reduce", "Shortest for the straggler, because it arrives last.",
          [(wait_seconds(OF_JOB), LEGEND)], "s", low=0),
    lines("Step time", "Equal across ranks to 0.1 %, so no statistic of step times can identify the rank.",
          [(step_seconds(OF_JOB), LEGEND)], "s"),
    lines("Data loading or copies: engine active below peers", "Positive: the GPU waits for its host.",
          [(behind("DCGM_FI_PROF_GR_ENGINE_ACTIVE"), "GPU {{gpu}}")], "percentunit", limits=[(0.02, "orange")]),
    lines("More or slower work: SM active above peers", "Positive: the GPU computes while its peers wait.",
          [(f"-({behind('DCGM_FI_PROF_SM_ACTIVE')})", "GPU {{gpu}}")], "percentunit", limits=[(0.02, "orange")]),
    lines("Copies: PCIe in", "Far above its peers: copies to the device are the cause.",
          [(mean("DCGM_FI_PROF_PCIE_RX_BYTES", GPU), "GPU {{gpu}}")], "Bps"),
    lines("SM clock below peers", "Positive at equal power: throttled. Positive at higher power: more work.",
          [(behind("DCGM_FI_DEV_SM_CLOCK"), "GPU {{gpu}}")], "rotmhz"),
    lines("Data loading and copies", "By rank.",
          [(f'sum by (rank) ({mean("train_phase_seconds", OF_DATA)})', LEGEND)], "s", low=0),
    lines("Power", "By GPU.", [(mean("DCGM_FI_DEV_POWER_USAGE", GPU), "GPU {{gpu}}")], "watt"),
]

DASHBOARD = dashboard(
    "lockstep-straggler", "lockstep / Straggler", "Which rank the others wait for, since when, why, and what it costs.",
    VARIABLES, [("Straggler", RANKS), ("lockstep's verdict", VERDICT), ("Cause", CAUSE)],
    annotations=[annotated(JOB)])
