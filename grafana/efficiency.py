"""How well the FLOPs and the energy are used, and what they cost."""

from job import VARIABLES
from panels import annotated, dashboard, lines, number, stacked, typed
from words import GPU, JOB, OF_JOB, mean, memory_share, wait_share

GPUS = f"count(count by (rank) (train_step_time_seconds{{{JOB}}}))"
ENERGY_MJ = f"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{{GPU}}}"
MFU = f"avg_over_time(train_tflops_per_gpu{{{OF_JOB}}}[$__range]) / $peak_tflops"
WAITING = wait_share(JOB, "[$__range]")

SHARES = [
    number("MFU", "Model FLOP/s as reported by the trainer, divided by the dense peak set above. A value above 1 means wrong data.",
           f"avg({MFU})", "percentunit", limits=[(1, "red")]),
    number("Memory bandwidth used", "DRAM activity, relative to what kernels can reach.",
           f"avg({memory_share(GPU, '[$__range]')})", "percentunit"),
    number("Time in all-reduce", "Share of step time spent in the all-reduce, including waiting for other ranks.", f"avg({WAITING})", "percentunit",
           limits=[(0.2, "orange")]),
    number("Cost", "GPUs × hours of the selected time range × price per GPU-hour.",
           f"{GPUS} * $__range_s / 3600 * $gpu_hour_price", "currencyUSD"),
    number("Cost of all-reduce", "The part of that cost spent in the all-reduce.",
           f"avg({WAITING}) * {GPUS} * $__range_s / 3600 * $gpu_hour_price", "currencyUSD"),
    number("Energy", "In the selected time range, from the GPUs' energy counters.",
           f"sum(increase({ENERGY_MJ}[$__range])) / 1000", "joule"),
    lines("MFU", "Per rank, relative to the dense peak set above.",
          [(f"train_tflops_per_gpu{{{OF_JOB}}} / $peak_tflops", "rank {{rank}}")],
          "percentunit", width=12, low=0),
    stacked("Step time by phase", "Share of each phase in a step, averaged over the ranks.",
            [(f"avg by (phase) ({mean('train_phase_seconds', OF_JOB)}) / on () group_left () avg({mean('train_step_time_seconds', OF_JOB)})",
              "{{phase}}")], "percentunit", width=12, low=0),
]
LEDGER = [
    lines("MFU from the GPU catalogue",
          "FLOP/s as reported by the trainer, relative to the dense bf16 peak of the GPU model. No data if the model is unknown.",
          [(f"lockstep_mfu{{{OF_JOB}}}", "rank {{rank}}")], "percentunit", low=0, limits=[(1, "red")]),
    lines("Goodput", "Productive share of the GPU-seconds in the last five minutes.",
          [(f"lockstep_goodput_ratio{{{JOB}}}", "goodput")], "percentunit", low=0, high=1),
    stacked("Wasted GPU-seconds",
            "By reason, since the attempt started. Waiting for a straggler is counted separately from ordinary communication.",
            [(f"lockstep_wasted_gpu_seconds{{{JOB}}}", "{{bin}}")], "s", low=0),
]
ENERGY = [
    lines("Power from energy counters", "Exact for each window, no matter how rarely it is sampled.",
          [(f"rate({ENERGY_MJ}[$__rate_interval]) / 1000", "GPU {{gpu}}")], "watt", low=0),
    number("Energy cost", "In the selected time range.", f"sum(increase({ENERGY_MJ}[$__range])) / 3.6e9 * $kwh_price",
           "currencyUSD"),
    number("Energy cost per hour", "At the current power: kW × price per kWh.",
           f"sum(DCGM_FI_DEV_POWER_USAGE{{{GPU}}}) / 1000 * $kwh_price", "currencyUSD"),
    number("Energy per step", "Energy in the selected time range divided by the number of steps.",
           f"sum(increase({ENERGY_MJ}[$__range])) / 1000 / max(sum by (rank) (count_over_time(train_step_time_seconds{{{JOB}}}[$__range])))",
           "joule"),
    number("FLOPs per joule", "Model FLOP/s of all GPUs divided by their power.",
           f"sum(train_tflops_per_gpu{{{OF_JOB}}}) * 1e12 / sum(DCGM_FI_DEV_POWER_USAGE{{{GPU}}})", "short"),
]

DASHBOARD = dashboard(
    "lockstep-efficiency", "lockstep / MFU and cost",
    "How well the FLOPs and the energy are used, and what they cost.",
    [*VARIABLES, typed("peak_tflops", "Dense peak, TFLOP/s", "989.5"),
     typed("gpu_hour_price", "USD per GPU-hour", "3.20"),
     typed("kwh_price", "USD per kWh", "0.12")],
    [("MFU and waste", SHARES), ("GPU-time breakdown by lockstep", LEDGER), ("Energy", ENERGY)],
    annotations=[annotated(JOB)])
