"""One job: health, throughput, bottlenecks of its ranks."""

from panels import chosen, dashboard, history, lines, number, stacked
from words import GPU, JOB, OF_DATA, OF_JOB, compute_share, mean, memory_share, step_number, step_seconds, wait_share

LEGEND = "rank {{rank}}"

VARIABLES = [chosen("job", "Job", "label_values(train_step_time_seconds, job)"),
             chosen("rank", "Rank", 'label_values(train_step_time_seconds{job="$job"}, rank)', many=True),
             chosen("gpu", "GPU", 'label_values(DCGM_FI_DEV_POWER_USAGE{job="$job"}, gpu)', many=True)]


def of_gpu(title, means, metric, unit, **more):
    return lines(title, means, [(f"{metric}{{{GPU}}}", "GPU {{gpu}} {{Hostname}}")], unit, **more)


HEALTH = [
    number("Step", "The newest step of any rank.", step_number(OF_JOB)),
    number("Ranks", "Ranks that reported a step within the last five minutes.",
           f"count(count by (rank) (train_step_time_seconds{{{OF_JOB}}}))"),
    number("Since a step", "Seconds since any rank ended a step. Longer than some steps: it hangs or has ended.",
           f"time() - max(timestamp(train_step_time_seconds{{{OF_JOB}}}))", "s", limits=[(60, "orange"), (300, "red")]),
    number("Loss", "The newest of any rank.", f"avg(train_loss{{{OF_JOB}}})"),
    number("Hottest GPU", "Of the job.", f"max(DCGM_FI_DEV_GPU_TEMP{{{GPU}}})", "celsius",
           limits=[(80, "orange"), (85, "red")]),
    number("ECC errors", "Uncorrected, of the job's GPUs.", f"sum(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{GPU}}})",
           limits=[(1, "red")]),
    of_gpu("Temperature", "A GPU that is cooler and less busy than its peers waits for its host; one that is hotter at a lower clock throttles.",
           "DCGM_FI_DEV_GPU_TEMP", "celsius", limits=[(80, "orange"), (85, "red")]),
    of_gpu("Power", "Flat near the limit is healthy training; a saw-tooth is a GPU that is waited for or waits.",
           "DCGM_FI_DEV_POWER_USAGE", "watt", low=0),
    of_gpu("SM clock", "Lower at equal power: throttled. Lower at higher power: more work.", "DCGM_FI_DEV_SM_CLOCK",
           "rotmhz"),
]

THROUGHPUT = [
    lines("Step time", "All ranks leave the collective together, so a slow rank does not show here.",
          [(step_seconds(OF_JOB), LEGEND)], "s", low=0),
    lines("Model FLOP/s of a GPU", "As the trainer reports it.",
          [(f"train_tflops_per_gpu{{{OF_JOB}}} * 1e12", LEGEND)], "flops", low=0),
    lines("Steps a minute", "Steps that ended, of the rank with most.",
          [(f"max(sum by (rank) (count_over_time(train_step_time_seconds{{{OF_JOB}}}[1m])))", "steps")], "short",
          low=0),
    lines("SM active", "Counts warps that wait for memory. Necessary, not sufficient: above 0.8 is good.",
          [(mean("DCGM_FI_PROF_SM_ACTIVE", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Occupancy", "Resident warps of those possible. 0.27 is a healthy bf16 training: not a target by itself.",
          [(mean("DCGM_FI_PROF_SM_OCCUPANCY", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Tensor active", "0.93 is what kernels reach. Near 0 in bf16 or fp8: no tensor cores. fp8 reads half of bf16 at equal MFU.",
          [(mean("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Memory of tensors", "What torch holds now, and the peak: the peak decides whether it fits.",
          [(f"gpu_torch_memory_allocated_bytes{{{OF_JOB}}}", LEGEND + " now"),
           (f"gpu_torch_memory_peak_bytes{{{OF_JOB}}}", LEGEND + " peak")], "bytes", low=0),
    lines("Device memory", "Share of what is usable.",
          [(f"DCGM_FI_DEV_FB_USED{{{GPU}}} / (DCGM_FI_DEV_FB_USED{{{GPU}}} + DCGM_FI_DEV_FB_FREE{{{GPU}}})",
            "GPU {{gpu}}")],
          "percentunit", low=0, high=1, limits=[(0.95, "orange")]),
    lines("Balance of GPUs", "Highest less lowest over the GPUs of the job: 0 is even.",
          [(f"max({mean(metric, GPU)}) - min({mean(metric, GPU)})", name) for name, metric in
           (("SM active", "DCGM_FI_PROF_SM_ACTIVE"), ("engine", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
            ("tensor", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"))], "percentunit", low=0),
]

BOTTLENECKS = [
    history("What binds each GPU", "lockstep's verdict for each window, by GPU.", f"lockstep_bottleneck{{{JOB}}} == 1",
            "GPU {{gpu}} {{host}}: {{class}}", width=16, low=0, high=1),
    stacked("Phases of a step", "Seconds of each phase, mean of the ranks. The all-reduce includes waiting.",
            [(f"avg by (phase) ({mean('train_phase_seconds', OF_JOB)})", "{{phase}}")], "s"),
    lines("Share of a step in the all-reduce", "The rank that waits least is the one that the others wait for.",
          [(wait_share(OF_JOB), LEGEND)], "percentunit", low=0, high=1, limits=[(0.2, "orange")]),
    lines("Waiting for data", "Data and copies to the device, of a step.",
          [(f'sum by (rank) ({mean("train_phase_seconds", OF_DATA)}) / on (rank) '
            f"sum by (rank) ({step_seconds(OF_JOB)})", LEGEND)], "percentunit", low=0, limits=[(0.1, "orange")]),
    lines("Compute against its peak", "Tensor pipe, of what kernels reach.", [(compute_share(GPU), "GPU {{gpu}}")],
          "percentunit", low=0, high=1),
    lines("Memory against its peak", "DRAM, of what kernels reach. Above 0.75 and above compute: memory-bound.",
          [(memory_share(GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1, limits=[(0.75, "orange")]),
    lines("PCIe in", "A gauge in bytes a second. High while memory is quiet: the loader or copies bind.",
          [(mean("DCGM_FI_PROF_PCIE_RX_BYTES", GPU), "GPU {{gpu}}")], "Bps", low=0),
    lines("NVLink in", "450 GB/s is the raw peak of one direction on Hopper, 75 % of it a good all-reduce.",
          [(mean("DCGM_FI_PROF_NVLINK_RX_BYTES", GPU), "GPU {{gpu}}")], "Bps", low=0),
    lines("Engine active", "Below its peers: this GPU waits for its host. Near 1 with idle SMs: it waits for others in NCCL.",
          [(mean("DCGM_FI_PROF_GR_ENGINE_ACTIVE", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Clocks held down", "Bits of the reasons: 4 power cap, 32 and 64 heat, 128 power brake.",
          [(f"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{{{GPU}}}", "GPU {{gpu}}")], "short", low=0),
]

DASHBOARD = dashboard(
    "lockstep-job", "lockstep / Job", "One job and its ranks: health, throughput and utilisation, bottlenecks.",
    VARIABLES,
    [("Health", HEALTH), ("Throughput & utilisation", THROUGHPUT), ("Bottlenecks", BOTTLENECKS)])
