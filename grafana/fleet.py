"""All GPUs of a fleet: health, throughput, bottlenecks."""

from panels import bars, chosen, dashboard, lines, number, stacked
from words import DRAM_PEAK, TENSOR_PEAK, early, mean, wait_share

WHERE = 'Hostname=~"$host",job=~"$job"'
JOBS = 'job=~"$job"'


def power(how):
    return f"{how} (DCGM_FI_DEV_POWER_USAGE{{{WHERE}}})"


def count_where(condition):
    """How many GPUs the condition holds for; 0 where it holds for none."""
    return f"count({condition}) or 0 * count(DCGM_FI_DEV_POWER_USAGE{{{WHERE}}})"


HEALTH = [
    number("GPUs", "GPUs with samples within the last five minutes.",
           f"count(count by (UUID) (DCGM_FI_DEV_POWER_USAGE{{{WHERE}}}))"),
    number("Over 80 °C", "GPUs that are hotter than 80 °C; most throttle near 85.",
           count_where(f"DCGM_FI_DEV_GPU_TEMP{{{WHERE}}} > 80"), limits=[(1, "orange")]),
    number("Uncorrected ECC errors",
           "Double-bit errors since the driver was loaded: such a GPU's results are worth nothing.",
           f"sum(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{WHERE}}})", limits=[(1, "red")]),
    number("Held by clocks", "GPUs whose clocks are held down by power brake or heat (bits 0x20, 0x40, 0x80 of the reasons).",
           count_where(f"floor(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{{{WHERE}}} / 32) % 8 > 0"), limits=[(1, "orange")]),
    number("XID in an hour", "GPUs that told of another XID within the hour.",
           count_where(f"changes(DCGM_FI_DEV_XID_ERRORS{{{WHERE}}}[1h]) > 0"), limits=[(1, "red")]),
    number("Remapped rows", "Rows of memory that were replaced after uncorrectable errors.",
           f"sum(DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{{{WHERE}}})", limits=[(1, "orange")]),
    lines("Temperature", "Hottest and median GPU of each host. Compare a GPU with its own history: healthy ones of a node differ by 8 °C.",
          [(f"max by (Hostname) (DCGM_FI_DEV_GPU_TEMP{{{WHERE}}})", "{{Hostname}} hottest"),
           (f"quantile by (Hostname) (0.5, DCGM_FI_DEV_GPU_TEMP{{{WHERE}}})", "{{Hostname}} median")],
          "celsius", limits=[(80, "orange"), (85, "red")]),
    lines("Memory temperature", "Of the HBM. Hopper throttles silently above its limit.",
          [(f"max by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP{{{WHERE}}})", "{{Hostname}} hottest")], "celsius",
          limits=[(95, "red")]),
    lines("Links' errors", "PCIe packets sent again, in an hour. A growing number is a bad slot, riser or cable.",
          [(f"sum by (Hostname) (increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{{WHERE}}}[1h]))", "{{Hostname}}")],
          "short", low=0),
]

THROUGHPUT = [
    stacked("Power by job", "What the GPUs of each job draw.", [(power("sum by (job)"), "{{job}}")], "watt"),
    lines("Model FLOP/s by job", "What trainers report, as mean of their GPUs.",
          [(f"avg by (job) (train_tflops_per_gpu{{{JOBS}}}) * 1e12", "{{job}}")], "flops", low=0),
    lines("Step time by job", "The median rank; in synchronous training all ranks have the same.",
          [(f"quantile by (job) (0.5, {mean('train_step_time_seconds', JOBS)})", "{{job}}")], "s", low=0),
    lines("SM active and tensor active",
          "Means over GPUs. SM active counts warps that wait for memory, so it is no measure of work; tensor active is.",
          [(f"avg({mean('DCGM_FI_PROF_SM_ACTIVE', WHERE)})", "SM active"),
           (f"avg({mean('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', WHERE)})", "tensor active"),
           (f"avg({mean('DCGM_FI_PROF_SM_OCCUPANCY', WHERE)})", "occupancy")], "percentunit", low=0, high=1),
    lines("Memory in use", "Share of what is usable, the fullest GPU of each job.",
          [(f"max by (job) (DCGM_FI_DEV_FB_USED{{{WHERE}}} / (DCGM_FI_DEV_FB_USED{{{WHERE}}} + DCGM_FI_DEV_FB_FREE{{{WHERE}}}))",
            "{{job}}")], "percentunit", low=0, high=1, limits=[(0.95, "orange")]),
    lines("Network of hosts", "Received and sent.",
          [('sum by (Hostname) (rate(node_network_receive_bytes_total{Hostname=~"$host"}[$__rate_interval]))',
            "{{Hostname}} in"),
           ('sum by (Hostname) (rate(node_network_transmit_bytes_total{Hostname=~"$host"}[$__rate_interval]))',
            "{{Hostname}} out")],
          "Bps"),
]

BOTTLENECKS = [
    bars("Jobs held back by a rank",
         "By how much of a step the rank that waits least is early. Above 0.05 it is worth looking at.",
         f"max by (job) ({early(JOBS)})", "{{job}}", "percentunit", low=0, high=0.3,
         limits=[(0.02, "yellow"), (0.05, "orange"), (0.1, "red")]),
    bars("Share of steps in the all-reduce", "Waiting included: look for a straggler first, then at the links.",
         f"avg by (job) ({wait_share(JOBS)})", "{{job}}", "percentunit", low=0, high=1, limits=[(0.2, "orange")]),
    bars("Fake load", "GPUs that look busy (engine active) while their SMs are idle.",
         f"count by (job) ({mean('DCGM_FI_PROF_GR_ENGINE_ACTIVE', WHERE)} > 0.4 and {mean('DCGM_FI_PROF_SM_ACTIVE', WHERE)} < 0.25)",
         "{{job}}", "short", low=0, limits=[(1, "orange")]),
    lines("Held against the peaks",
          f"Tensor pipe over {TENSOR_PEAK} and DRAM over {DRAM_PEAK}, of what kernels can reach: the higher one binds.",
          [(f"avg by (job) ({mean('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', WHERE)}) / {TENSOR_PEAK}", "{{job}} tensor"),
           (f"avg by (job) ({mean('DCGM_FI_PROF_DRAM_ACTIVE', WHERE)}) / {DRAM_PEAK}", "{{job}} memory")],
          "percentunit", width=12, low=0, high=1),
    lines("PCIe and NVLink", "Gauges in bytes a second: no rate() of them.",
          [(f"sum by (job) ({mean('DCGM_FI_PROF_PCIE_RX_BYTES', WHERE)})", "{{job}} PCIe in"),
           (f"sum by (job) ({mean('DCGM_FI_PROF_NVLINK_RX_BYTES', WHERE)})", "{{job}} NVLink in")], "Bps", width=12),
]

HOST = 'Hostname=~"$host"'
USED = (f"(node_memory_MemTotal_bytes{{{HOST}}} - node_memory_MemAvailable_bytes{{{HOST}}}"
        f" or node_memory_used_bytes{{{HOST}}})")
HOSTS = [
    lines("Memory", "In use by programs.", [(f"sum by (Hostname) ({USED})", "{{Hostname}}")], "bytes", low=0),
    lines("Memory's slope", "Bytes an hour, over ten minutes. Above zero for long: something leaks.",
          [(f"sum by (Hostname) (deriv({USED}[10m:15s])) * 3600", "{{Hostname}}")], "bytes"),
    lines("Disks", "Read and written. The counters are totals since the host began; this is their rate.",
          [(f"sum by (Hostname) (rate(node_disk_read_bytes_total{{{HOST}}}[$__rate_interval]))", "{{Hostname}} read"),
           (f"sum by (Hostname) (rate(node_disk_written_bytes_total{{{HOST}}}[$__rate_interval]))",
            "{{Hostname}} written")], "Bps", low=0),
]

DASHBOARD = dashboard(
    "lockstep-fleet", "lockstep / Fleet", "All GPUs: health, throughput and utilisation, bottlenecks.",
    [chosen("host", "Host", "label_values(DCGM_FI_DEV_POWER_USAGE, Hostname)", many=True),
     chosen("job", "Job", "label_values(job)", many=True)],
    [("Health", HEALTH), ("Throughput & utilisation", THROUGHPUT), ("Bottlenecks", BOTTLENECKS),
     ("Hosts", HOSTS)])
