"""One job: health, throughput and bottlenecks of its ranks."""

from panels import annotated, chosen, dashboard, history, lines, number, stacked
from words import GPU, JOB, OF_DATA, OF_JOB, compute_share, mean, memory_share, step_number, step_seconds, wait_share

LEGEND = "rank {{rank}}"

VARIABLES = [chosen("job", "Job", "label_values(train_step_time_seconds, job)"),
             chosen("rank", "Rank", 'label_values(train_step_time_seconds{job="$job"}, rank)', many=True),
             chosen("gpu", "GPU", 'label_values(DCGM_FI_DEV_POWER_USAGE{job="$job"}, gpu)', many=True)]


def of_gpu(title, means, metric, unit, **more):
    return lines(title, means, [(f"{metric}{{{GPU}}}", "GPU {{gpu}} {{Hostname}}")], unit, **more)


HEALTH = [
    number("Step", "The latest step of any rank.", step_number(OF_JOB)),
    number("Ranks", "Ranks that reported a step in the last five minutes.",
           f"count(count by (rank) (train_step_time_seconds{{{OF_JOB}}}))"),
    number("Time since last step", "Since any rank finished a step. If this is longer than a few steps, the job hangs or has ended.",
           f"time() - max(timestamp(train_step_time_seconds{{{OF_JOB}}}))", "s", limits=[(60, "orange"), (300, "red")]),
    number("Loss", "Latest value, averaged over the ranks.", f"avg(train_loss{{{OF_JOB}}})"),
    number("Hottest GPU", "Temperature of the job's hottest GPU.", f"max(DCGM_FI_DEV_GPU_TEMP{{{GPU}}})", "celsius",
           limits=[(80, "orange"), (85, "red")]),
    number("ECC errors", "Uncorrected ECC errors on the job's GPUs.", f"sum(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{GPU}}})",
           limits=[(1, "red")]),
    of_gpu("Temperature", "A GPU that is cooler and less busy than its peers waits for its host; one that is hotter at a lower clock is throttled.",
           "DCGM_FI_DEV_GPU_TEMP", "celsius", limits=[(80, "orange"), (85, "red")]),
    of_gpu("Power", "A flat line near the limit is healthy training; a saw-tooth is a GPU that waits or that others wait for.",
           "DCGM_FI_DEV_POWER_USAGE", "watt", low=0),
    of_gpu("SM clock", "Lower than its peers at equal power: throttled. Lower at higher power: more work.", "DCGM_FI_DEV_SM_CLOCK",
           "rotmhz"),
]

THROUGHPUT = [
    lines("Step time", "All ranks leave the collective together, so a slow rank is not visible here.",
          [(step_seconds(OF_JOB), LEGEND)], "s", low=0),
    lines("Model FLOP/s per GPU", "As reported by the trainer.",
          [(f"train_tflops_per_gpu{{{OF_JOB}}} * 1e12", LEGEND)], "flops", low=0),
    lines("Steps per minute", "Finished steps, of the rank that finished the most.",
          [(f"max(sum by (rank) (count_over_time(train_step_time_seconds{{{OF_JOB}}}[1m])))", "steps")], "short",
          low=0),
    lines("SM active", "Also counts warps that wait for memory: necessary but not sufficient. Above 0.8 is good.",
          [(mean("DCGM_FI_PROF_SM_ACTIVE", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Occupancy", "Resident warps as a share of the maximum. Healthy bf16 training can be at 0.27: this is not a target in itself.",
          [(mean("DCGM_FI_PROF_SM_OCCUPANCY", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Tensor active", "Kernels can reach 0.93. Near 0 with bf16 or fp8: tensor cores are not used. At equal MFU, fp8 shows half the value of bf16.",
          [(mean("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Tensor memory", "Memory allocated by PyTorch: current and peak. The peak decides whether a model fits.",
          [(f"gpu_torch_memory_allocated_bytes{{{OF_JOB}}}", LEGEND + " now"),
           (f"gpu_torch_memory_peak_bytes{{{OF_JOB}}}", LEGEND + " peak")], "bytes", low=0),
    lines("Device memory", "Share of usable memory.",
          [(f"DCGM_FI_DEV_FB_USED{{{GPU}}} / (DCGM_FI_DEV_FB_USED{{{GPU}}} + DCGM_FI_DEV_FB_FREE{{{GPU}}})",
            "GPU {{gpu}}")],
          "percentunit", low=0, high=1, limits=[(0.95, "orange")]),
    lines("GPU imbalance", "Highest minus lowest value over the job's GPUs: 0 means balanced.",
          [(f"max({mean(metric, GPU)}) - min({mean(metric, GPU)})", name) for name, metric in
           (("SM active", "DCGM_FI_PROF_SM_ACTIVE"), ("engine", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
            ("tensor", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"))], "percentunit", low=0),
]

BOTTLENECKS = [
    history("Bottleneck of each GPU", "As determined by lockstep for each window.", f"lockstep_bottleneck{{{JOB}}} == 1",
            "GPU {{gpu}} {{host}}: {{class}}", width=16, low=0, high=1),
    stacked("Step phases", "Duration of each phase, averaged over the ranks. The all-reduce includes waiting.",
            [(f"avg by (phase) ({mean('train_phase_seconds', OF_JOB)})", "{{phase}}")], "s"),
    lines("Time in all-reduce", "Share of step time. The others wait for the rank with the lowest share.",
          [(wait_share(OF_JOB), LEGEND)], "percentunit", low=0, high=1, limits=[(0.2, "orange")]),
    lines("Waiting for data", "Data loading and copies to the device, as a share of step time.",
          [(f'sum by (rank) ({mean("train_phase_seconds", OF_DATA)}) / on (rank) '
            f"sum by (rank) ({step_seconds(OF_JOB)})", LEGEND)], "percentunit", low=0, limits=[(0.1, "orange")]),
    lines("Compute utilisation", "Tensor pipe activity, relative to what kernels can reach.", [(compute_share(GPU), "GPU {{gpu}}")],
          "percentunit", low=0, high=1),
    lines("Memory bandwidth utilisation", "DRAM activity, relative to what kernels can reach. Above 0.75 and above compute: memory-bound.",
          [(memory_share(GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1, limits=[(0.75, "orange")]),
    lines("PCIe in", "A gauge in bytes per second. High while memory is idle: data loading or copies are the bottleneck.",
          [(mean("DCGM_FI_PROF_PCIE_RX_BYTES", GPU), "GPU {{gpu}}")], "Bps", low=0),
    lines("NVLink in", "The raw peak on Hopper is 450 GB/s per direction; a good all-reduce reaches 75 % of it.",
          [(mean("DCGM_FI_PROF_NVLINK_RX_BYTES", GPU), "GPU {{gpu}}")], "Bps", low=0),
    lines("Engine active", "Below its peers: the GPU waits for its host. Near 1 with idle SMs: it waits for other GPUs in NCCL.",
          [(mean("DCGM_FI_PROF_GR_ENGINE_ACTIVE", GPU), "GPU {{gpu}}")], "percentunit", low=0, high=1),
    lines("Clock throttle reasons", "Bit mask: 4 is the power cap, 32 and 64 heat, 128 the power brake.",
          [(f"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{{{GPU}}}", "GPU {{gpu}}")], "short", low=0),
]

DASHBOARD = dashboard(
    "lockstep-job", "lockstep / Job", "One job and its ranks: health, throughput and utilisation, bottlenecks.",
    VARIABLES,
    [("Health", HEALTH), ("Throughput & utilisation", THROUGHPUT), ("Bottlenecks", BOTTLENECKS)],
    annotations=[annotated(JOB)])
