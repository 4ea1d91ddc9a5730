"""What people ask of a fleet: an hour of it, over all GPUs."""

from typing import NamedTuple


class Query(NamedTuple):
    name: str
    text: str
    is_range: bool  # the whole hour in steps of 15 s; otherwise at its end
    # Whether every server means the same by it; rate() and its like differ by design.
    exact: bool = True


QUERIES = (
    Query("utilisation of the fleet", "avg(DCGM_FI_PROF_SM_ACTIVE)", True),
    Query("tensor activity by job", "avg by (job) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)", True),
    Query("power from energy", "sum(rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m])) / 1000", True,
          exact=False),
    Query("clock spread by job", "stddev by (job) (DCGM_FI_DEV_SM_CLOCK)", True),
    Query("every GPU of a job", 'DCGM_FI_PROF_SM_ACTIVE{job="pretrain-0000"}', True),
    Query("all profiling of a GPU",
          '{__name__=~"DCGM_FI_PROF_.*",Hostname="node-00000",gpu="0"}', True),
    Query("memory in use", "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)",
          False),
    Query("GPUs below their job's peers",
          "quantile by (job) (0.5, avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[5m]))"
          " - on (job) group_right () avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[5m]) > 0.02",
          False),
    Query("hottest of the hour", "topk(10, avg_over_time(DCGM_FI_DEV_GPU_TEMP[1h]))", False),
    Query("peak by host", "max by (Hostname) (max_over_time(DCGM_FI_DEV_POWER_USAGE[1h]))", False),
    Query("p95 of the hour", "quantile_over_time(0.95, DCGM_FI_DEV_POWER_USAGE[1h])", False),
    Query("GPUs by model", "count by (modelName) (DCGM_FI_DEV_GPU_TEMP)", False),
)
