"""All GPUs of a fleet: health, throughput and bottlenecks."""

from panels import annotated, bars, chosen, dashboard, lines, number, stacked
from words import DRAM_PEAK, TENSOR_PEAK, early, mean, wait_share

WHERE = 'Hostname=~"$host",job=~"$job"'
JOBS = 'job=~"$job"'


def power(how):
    return f"{how} (DCGM_FI_DEV_POWER_USAGE{{{WHERE}}})"


def count_where(condition):
    """The number of GPUs for which the condition holds; 0 if it holds for none."""
    return f"count({condition}) or 0 * count(DCGM_FI_DEV_POWER_USAGE{{{WHERE}}})"


HEALTH = [
    number("GPUs", "GPUs with samples in the last five minutes.",
           f"count(count by (UUID) (DCGM_FI_DEV_POWER_USAGE{{{WHERE}}}))"),
    number("Over 80 °C", "GPUs hotter than 80 °C; most throttle near 85 °C.",
           count_where(f"DCGM_FI_DEV_GPU_TEMP{{{WHERE}}} > 80"), limits=[(1, "orange")]),
    number("Uncorrected ECC errors",
           "Double-bit errors since the driver was loaded: results of such a GPU cannot be trusted.",
           f"sum(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{WHERE}}})", limits=[(1, "red")]),
    number("Throttled GPUs", "GPUs whose clocks are reduced by heat or the power brake (throttle reason bits 0x20, 0x40, 0x80).",
           count_where(f"floor(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{{{WHERE}}} / 32) % 8 > 0"), limits=[(1, "orange")]),
    number("XIDs in the last hour", "GPUs that reported a new XID in the last hour.",
           count_where(f"changes(DCGM_FI_DEV_XID_ERRORS{{{WHERE}}}[1h]) > 0"), limits=[(1, "red")]),
    number("Remapped rows", "Memory rows that were replaced after uncorrectable errors.",
           f"sum(DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{{{WHERE}}})", limits=[(1, "orange")]),
    lines("Temperature", "Hottest and median GPU of each host. Compare a GPU with its own history: healthy GPUs in one node can differ by 8 °C.",
          [(f"max by (Hostname) (DCGM_FI_DEV_GPU_TEMP{{{WHERE}}})", "{{Hostname}} hottest"),
           (f"quantile by (Hostname) (0.5, DCGM_FI_DEV_GPU_TEMP{{{WHERE}}})", "{{Hostname}} median")],
          "celsius", limits=[(80, "orange"), (85, "red")]),
    lines("Memory temperature", "HBM temperature. Hopper throttles silently above its limit.",
          [(f"max by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP{{{WHERE}}})", "{{Hostname}} hottest")], "celsius",
          limits=[(95, "red")]),
    lines("PCIe replays", "Retransmitted PCIe packets per hour. A growing number points to a bad slot, riser or cable.",
          [(f"sum by (Hostname) (increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{{WHERE}}}[1h]))", "{{Hostname}}")],
          "short", low=0),
]

THROUGHPUT = [
    stacked("Power by job", "Power drawn by the GPUs of each job.", [(power("sum by (job)"), "{{job}}")], "watt"),
    lines("Model FLOP/s by job", "As reported by the trainers, averaged over their GPUs.",
          [(f"avg by (job) (train_tflops_per_gpu{{{JOBS}}}) * 1e12", "{{job}}")], "flops", low=0),
    lines("Step time by job", "The median rank; in synchronous training, all ranks have the same step time.",
          [(f"quantile by (job) (0.5, {mean('train_step_time_seconds', JOBS)})", "{{job}}")], "s", low=0),
    lines("SM active and tensor active",
          "Averages over GPUs. SM active also counts warps that wait for memory, so it does not measure work; tensor active does.",
          [(f"avg({mean('DCGM_FI_PROF_SM_ACTIVE', WHERE)})", "SM active"),
           (f"avg({mean('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', WHERE)})", "tensor active"),
           (f"avg({mean('DCGM_FI_PROF_SM_OCCUPANCY', WHERE)})", "occupancy")], "percentunit", low=0, high=1),
    lines("GPU memory in use", "Share of usable memory on the fullest GPU of each job.",
          [(f"max by (job) (DCGM_FI_DEV_FB_USED{{{WHERE}}} / (DCGM_FI_DEV_FB_USED{{{WHERE}}} + DCGM_FI_DEV_FB_FREE{{{WHERE}}}))",
            "{{job}}")], "percentunit", low=0, high=1, limits=[(0.95, "orange")]),
    lines("Host network", "Received and sent.",
          [('sum by (Hostname) (rate(node_network_receive_bytes_total{Hostname=~"$host"}[$__rate_interval]))',
            "{{Hostname}} in"),
           ('sum by (Hostname) (rate(node_network_transmit_bytes_total{Hostname=~"$host"}[$__rate_interval]))',
            "{{Hostname}} out")],
          "Bps"),
]

BOTTLENECKS = [
    bars("Jobs held back by a rank",
         "How much less than the median rank the least-waiting rank waits, as a share of the step. Look into values above 0.05.",
         f"max by (job) ({early(JOBS)})", "{{job}}", "percentunit", low=0, high=0.3,
         limits=[(0.02, "yellow"), (0.05, "orange"), (0.1, "red")]),
    bars("Time in all-reduce", "Share of step time, including waiting: look for a straggler first, then at the links.",
         f"avg by (job) ({wait_share(JOBS)})", "{{job}}", "percentunit", low=0, high=1, limits=[(0.2, "orange")]),
    bars("Fake load", "GPUs that look busy (engine active) while their SMs are mostly idle.",
         f"count by (job) ({mean('DCGM_FI_PROF_GR_ENGINE_ACTIVE', WHERE)} > 0.4 and {mean('DCGM_FI_PROF_SM_ACTIVE', WHERE)} < 0.25)",
         "{{job}}", "short", low=0, limits=[(1, "orange")]),
    lines("Tensor and memory utilisation",
          f"Tensor pipe activity / {TENSOR_PEAK} and DRAM activity / {DRAM_PEAK}, which is what kernels can reach: the higher one is the bottleneck.",
          [(f"avg by (job) ({mean('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', WHERE)}) / {TENSOR_PEAK}", "{{job}} tensor"),
           (f"avg by (job) ({mean('DCGM_FI_PROF_DRAM_ACTIVE', WHERE)}) / {DRAM_PEAK}", "{{job}} memory")],
          "percentunit", width=12, low=0, high=1),
    lines("PCIe and NVLink", "These metrics are gauges in bytes per second: do not apply rate().",
          [(f"sum by (job) ({mean('DCGM_FI_PROF_PCIE_RX_BYTES', WHERE)})", "{{job}} PCIe in"),
           (f"sum by (job) ({mean('DCGM_FI_PROF_NVLINK_RX_BYTES', WHERE)})", "{{job}} NVLink in")], "Bps", width=12),
]

HOST = 'Hostname=~"$host"'
USED = (f"(node_memory_MemTotal_bytes{{{HOST}}} - node_memory_MemAvailable_bytes{{{HOST}}}"
        f" or node_memory_used_bytes{{{HOST}}})")
HOSTS = [
    lines("Host memory", "Used by programs.", [(f"sum by (Hostname) ({USED})", "{{Hostname}}")], "bytes", low=0),
    lines("Host memory growth", "Bytes per hour, over ten minutes. A value that stays above zero points to a leak.",
          [(f"sum by (Hostname) (deriv({USED}[10m:15s])) * 3600", "{{Hostname}}")], "bytes"),
    lines("Disks", "Bytes read and written per second.",
          [(f"sum by (Hostname) (rate(node_disk_read_bytes_total{{{HOST}}}[$__rate_interval]))", "{{Hostname}} read"),
           (f"sum by (Hostname) (rate(node_disk_written_bytes_total{{{HOST}}}[$__rate_interval]))",
            "{{Hostname}} written")], "Bps", low=0),
]

DASHBOARD = dashboard(
    "lockstep-fleet", "lockstep / Fleet", "All GPUs: health, throughput and utilisation, bottlenecks.",
    [chosen("host", "Host", "label_values(DCGM_FI_DEV_POWER_USAGE, Hostname)", many=True),
     chosen("job", "Job", "label_values(job)", many=True)],
    [("Health", HEALTH), ("Throughput & utilisation", THROUGHPUT), ("Bottlenecks", BOTTLENECKS),
     ("Hosts", HOSTS)],
    annotations=[annotated('job=~"$job"')])
