"""What the bought FLOPs and watts are worth, and what they cost."""

from job import VARIABLES
from panels import dashboard, lines, number, stacked, typed
from words import GPU, JOB, OF_JOB, mean, memory_share, wait_share

GPUS = f"count(count by (rank) (train_step_time_seconds{{{JOB}}}))"
ENERGY_MJ = f"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{{GPU}}}"
MFU = f"avg_over_time(train_tflops_per_gpu{{{OF_JOB}}}[$__range]) / $peak_tflops"
WAITING = wait_share(JOB, "[$__range]")

SHARES = [
    number("MFU", "Model FLOP/s as the trainer reports them, over the dense peak chosen above. Above 1 the data are wrong.",
           f"avg({MFU})", "percentunit", limits=[(1, "red")]),
    number("Memory bandwidth used", "DRAM's activity, of what kernels reach.",
           f"avg({memory_share(GPU, '[$__range]')})", "percentunit"),
    number("Waiting", "Share of steps in the all-reduce, waiting included.", f"avg({WAITING})", "percentunit",
           limits=[(0.2, "orange")]),
    number("Price of the time shown", "GPUs times hours times the price of one.",
           f"{GPUS} * $__range_s / 3600 * $gpu_hour_price", "currencyUSD"),
    number("Of it waiting", "The share of that which went into the all-reduce.",
           f"avg({WAITING}) * {GPUS} * $__range_s / 3600 * $gpu_hour_price", "currencyUSD"),
    number("Energy", "Of the time shown, by the boards' own counters.",
           f"sum(increase({ENERGY_MJ}[$__range])) / 1000", "joule"),
    lines("MFU", "By rank, of the dense peak chosen above.",
          [(f"train_tflops_per_gpu{{{OF_JOB}}} / $peak_tflops", "rank {{rank}}")],
          "percentunit", width=12, low=0),
    stacked("Where a step goes", "Shares of a step, mean of the ranks.",
            [(f"avg by (phase) ({mean('train_phase_seconds', OF_JOB)}) / on () group_left () avg({mean('train_step_time_seconds', OF_JOB)})",
              "{{phase}}")], "percentunit", width=12, low=0),
]
LEDGER = [
    lines("MFU by the catalogue",
          "Of the dense bf16 peak of the GPU's model, operations as the trainer reports them. Absent where the model is unknown.",
          [(f"lockstep_mfu{{{OF_JOB}}}", "rank {{rank}}")], "percentunit", low=0, limits=[(1, "red")]),
    lines("Goodput", "Productive share of the GPU-seconds of the last five minutes.",
          [(f"lockstep_goodput_ratio{{{JOB}}}", "goodput")], "percentunit", low=0, high=1),
    stacked("Wasted GPU-seconds",
            "Since the attempt began, by where they went. Waiting for a straggler is apart from what communication takes anyway.",
            [(f"lockstep_wasted_gpu_seconds{{{JOB}}}", "{{bin}}")], "s", low=0),
]
ENERGY = [
    lines("Power by the energy counters", "Exact over each window, however seldom it is sampled.",
          [(f"rate({ENERGY_MJ}[$__rate_interval]) / 1000", "GPU {{gpu}}")], "watt", low=0),
    number("Energy cost", "Of the time shown.", f"sum(increase({ENERGY_MJ}[$__range])) / 3.6e9 * $kwh_price",
           "currencyUSD"),
    number("Energy cost of an hour", "At the power of now. The power in kW times the price is dollars an HOUR.",
           f"sum(DCGM_FI_DEV_POWER_USAGE{{{GPU}}}) / 1000 * $kwh_price", "currencyUSD"),
    number("Joules a step", "Energy of the time shown over its steps.",
           f"sum(increase({ENERGY_MJ}[$__range])) / 1000 / max(sum by (rank) (count_over_time(train_step_time_seconds{{{JOB}}}[$__range])))",
           "joule"),
    number("FLOPs a joule", "Model FLOP/s of all GPUs over their power.",
           f"sum(train_tflops_per_gpu{{{OF_JOB}}}) * 1e12 / sum(DCGM_FI_DEV_POWER_USAGE{{{GPU}}})", "short"),
]

DASHBOARD = dashboard(
    "lockstep-efficiency", "lockstep / MFU and cost",
    "What the FLOPs and watts that were bought are worth, and what they cost.",
    [*VARIABLES, typed("peak_tflops", "Dense peak, TFLOP/s", "989.5"),
     typed("gpu_hour_price", "USD a GPU-hour", "3.20"),
     typed("kwh_price", "USD a kWh", "0.12")],
    [("MFU and waste", SHARES), ("lockstep's ledger", LEDGER), ("Energy", ENERGY)])
