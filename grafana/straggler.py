"""Which rank of a job do the others wait for, since when, and why?"""

from job import VARIABLES
from panels import bars, dashboard, history, lines, number
from words import GPU, JOB, OF_DATA, OF_JOB, early, mean, step_seconds, wait_seconds

LEGEND = "rank {{rank}}"
LEVELS = [(0.02, "yellow"), (0.05, "orange"), (0.1, "red")]


def behind(metric):
    """By how much a GPU is below the median of its job."""
    value = mean(metric, GPU)
    return f"quantile by (job) (0.5, {value}) - on (job) group_right () {value}"


WHO = [
    bars("Who is waited for", "By how much of a step each rank waits less than the median rank. Above 0.05 the others wait for it.",
         early(JOB), LEGEND, "percentunit", width=6, low=0, high=0.3, limits=LEVELS),
    history("Since when", "The same over time.", early(OF_JOB), LEGEND, "percentunit", width=12, low=0, high=0.3,
            limits=LEVELS),
    number("Seconds lost in a step",
           "What a step would be shorter if the rank that waits least waited as the median does. An upper bound.",
           f"max(quantile by (job) (0.5, {wait_seconds(JOB)}) - on (job) group_right () ({wait_seconds(JOB)}))", "s",
           width=6),
    number("GPU-hours lost in an hour", "The same, of all ranks of the job.",
           f"max({early(JOB)}) * count(count by (rank) (train_step_time_seconds{{{JOB}}}))", "h", width=6),
]
VERDICT = [
    history("The verdict", "1 while lockstep names the rank, with the cause. It weighs each rank's own noise, so it names later and errs less than a threshold.",
            f"lockstep_straggler{{{JOB}}}", "rank {{rank}}: {{cause}}", width=12, low=0, high=1, limits=[(1, "red")]),
    lines("How late each rank is",
          "Own time above that of its peers, as a share of a step: median of the last 25 steps.",
          [(f"lockstep_straggler_score{{{OF_JOB}}}", LEGEND)], "percentunit", width=12, limits=[(0.025, "orange")]),
]
WHY = [
    lines("Own time", "A step less its wait: all that a rank does itself. The straggler's is highest, though its kernels may be the fastest.",
          [(f"{step_seconds(OF_JOB)} - on (job, rank) group_right () ({wait_seconds(OF_JOB)})", LEGEND)], "s"),
    lines("Wait in the all-reduce", "The straggler arrives last, so its own is shortest.",
          [(wait_seconds(OF_JOB), LEGEND)], "s", low=0),
    lines("Step time", "Equal to a thousandth: no statistic of step times can name the rank.",
          [(step_seconds(OF_JOB), LEGEND)], "s"),
    lines("Loader or copies: engine below its peers", "Positive: the GPU waits for its host.",
          [(behind("DCGM_FI_PROF_GR_ENGINE_ACTIVE"), "GPU {{gpu}}")], "percentunit", limits=[(0.02, "orange")]),
    lines("More or slower work: SM active above its peers", "Positive: the GPU computes while its peers wait.",
          [(f"-({behind('DCGM_FI_PROF_SM_ACTIVE')})", "GPU {{gpu}}")], "percentunit", limits=[(0.02, "orange")]),
    lines("Copies: PCIe in", "Far above its peers: copies to the device.",
          [(mean("DCGM_FI_PROF_PCIE_RX_BYTES", GPU), "GPU {{gpu}}")], "Bps"),
    lines("Clock below its peers", "Positive at equal power: throttled. Positive at higher power: more work.",
          [(behind("DCGM_FI_DEV_SM_CLOCK"), "GPU {{gpu}}")], "rotmhz"),
    lines("Time in data and copies", "By rank.",
          [(f'sum by (rank) ({mean("train_phase_seconds", OF_DATA)})', LEGEND)], "s", low=0),
    lines("Power", "By GPU.", [(mean("DCGM_FI_DEV_POWER_USAGE", GPU), "GPU {{gpu}}")], "watt"),
]

DASHBOARD = dashboard(
    "lockstep-straggler", "lockstep / Straggler", "Which rank the others wait for, since when, why, and what it costs.",
    VARIABLES, [("Who", WHO), ("lockstep's verdict", VERDICT), ("Why", WHY)])
