"""Fifteen typical queries about a fleet, some of them dashboard panels over a time range."""

from typing import NamedTuple


class Query(NamedTuple):
    name: str
    text: str
    is_range: bool  # the whole time range in steps; otherwise at its end
    # Whether every server defines it equally; rate() and similar functions differ by design.
    exact: bool = True


QUERIES = (
    Query("memory in use",
          "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) * 100", True),
    Query("memory-bound GPUs",
          "(avg_over_time(DCGM_FI_PROF_DRAM_ACTIVE[5m]) / 0.88 > 0.3) and on (UUID, job)"
          " (avg_over_time(DCGM_FI_PROF_DRAM_ACTIVE[5m]) / 0.88 > on (UUID, job)"
          " 1.25 * avg_over_time(DCGM_FI_PROF_PIPE_TENSOR_ACTIVE[5m]) / 0.93)", False),
    Query("GPUs below their job's peers",
          "quantile by (job) (0.5, avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[5m]))"
          " - on (job) group_right () avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[5m]) > 0.02",
          False),
    Query("share of PCIe", "avg_over_time(DCGM_FI_PROF_PCIE_RX_BYTES[5m]) / 63e9 * 100", False),
    Query("power of every GPU", "avg_over_time(DCGM_FI_DEV_POWER_USAGE[5m])", True, exact=False),
    Query("energy and its price by job",
          "sum by (job) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[1h])) / 3.6e9 * 0.12", False,
          exact=False),
    Query("utilisation of the fleet", "avg(DCGM_FI_PROF_SM_ACTIVE)", True),
    Query("tensor activity by job", "avg by (job) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)", True),
    Query("slowest tenth by job", "quantile by (job) (0.1, DCGM_FI_PROF_SM_ACTIVE)", True),
    Query("every GPU of a job", 'DCGM_FI_PROF_SM_ACTIVE{job="pretrain-0000"}', True),
    Query("each GPU against its job's mean",
          "DCGM_FI_DEV_SM_CLOCK / on (job) group_left () avg by (job) (DCGM_FI_DEV_SM_CLOCK)", True),
    Query("busiest minutes by job",
          "max_over_time(avg by (job) (DCGM_FI_PROF_SM_ACTIVE)[30m:1m])", False),
    Query("means of all profiling metrics", 'avg by (__name__) ({__name__=~"DCGM_FI_PROF_.*"})',
          False),
    Query("all metrics of a GPU", '{__name__=~"DCGM_FI_.*",Hostname="node-00000",gpu="0"}', True),
    Query("hottest of the hour", "topk(10, avg_over_time(DCGM_FI_DEV_GPU_TEMP[1h]))", False),
)
