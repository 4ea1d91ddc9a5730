"""Alert rules that Grafana itself evaluates.

If lockstep or a Prometheus already evaluates your rules, these are not needed.
"""

import json
from typing import NamedTuple

from words import early, mean, wait_share

SOURCE = "lockstep"
INTERVAL = "1m"
LOOK_BACK_S = 600
FIVE_MINUTES = "[5m]"
ANY = 'job!=""'


class Alert(NamedTuple):
    """Fires for every series that `expression` returns, once it has returned it for `lasting`."""

    name: str
    expression: str
    lasting: str
    severity: str
    summary: str


BUSY = f"{mean('DCGM_FI_PROF_SM_ACTIVE', ANY, FIVE_MINUTES)} > 0.5"
DRAM = mean("DCGM_FI_PROF_DRAM_ACTIVE", ANY, FIVE_MINUTES)
TENSOR = mean("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", ANY, FIVE_MINUTES)

LAST_STEP = f"max by (job) (max_over_time(timestamp(train_step_time_seconds{{{ANY}}})[30m:15s]))"
MEDIAN_STEP = f"max by (job) (quantile_over_time(0.5, train_step_time_seconds{{{ANY}}}[30m]))"
# A job that has ended releases its GPUs; after that, their samples no longer carry its name.
NO_STEP = (f"{LAST_STEP} + 10 * {MEDIAN_STEP} < time() - 30"
           f" and on (job) count by (job) (count_over_time(DCGM_FI_DEV_POWER_USAGE{{{ANY}}}[1m]))")

ALERTS = (
    Alert("GPU is hot", "DCGM_FI_DEV_GPU_TEMP > 80", "5m", "warning",
          "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} is above 80 °C; most throttle near 85."),
    Alert("Uncorrected ECC error", "increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m]) > 0", "0s", "critical",
          "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} had an uncorrected memory error: drain it."),
    Alert("XID", "changes(DCGM_FI_DEV_XID_ERRORS[10m]) > 0 and DCGM_FI_DEV_XID_ERRORS > 0", "0s", "critical",
          "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported a new XID."),
    Alert("Clocks are throttled", "floor(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS / 32) % 8 > 0", "5m", "warning",
          "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} is slowed by heat or the power brake."),
    Alert("Device memory is nearly full", "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) > 0.95",
          "5m", "warning",
          "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} has less than 5 % of its memory left."),
    Alert("A rank holds its job back", f"{early(ANY, FIVE_MINUTES)} > 0.05", "5m", "warning",
          "The other ranks of {{ $labels.job }} wait for rank {{ $labels.rank }}."),
    Alert("Steps wait for communication", f"avg by (job) ({wait_share(ANY, FIVE_MINUTES)}) > 0.2", "10m", "warning",
          "{{ $labels.job }} spends more than a fifth of its step time in the all-reduce. Look for a straggler first."),
    Alert("No progress", NO_STEP, "0s", "critical",
          "{{ $labels.job }} still holds its GPUs but has not finished a step for more than ten times its median step time plus 30 s."),
    Alert("Tensor cores are idle", f"{TENSOR} < 0.1 and {BUSY}", "5m", "warning",
          "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} is busy without its tensor cores."),
    Alert("Memory-bound", f"({DRAM} / 0.88 > 0.75) and on (UUID, job) ({DRAM} / 0.88 > on (UUID, job) 1.25 * {TENSOR} / 0.93)", "10m", "info",
          "GPU {{ $labels.gpu }} of {{ $labels.job }} is limited by memory bandwidth."),
    Alert("Fake load", f"{mean('DCGM_FI_PROF_GR_ENGINE_ACTIVE', ANY, FIVE_MINUTES)} > 0.4 and {mean('DCGM_FI_PROF_SM_ACTIVE', ANY, FIVE_MINUTES)} < 0.25",
          "10m", "warning", "GPU {{ $labels.gpu }} of {{ $labels.job }} looks busy but computes next to nothing."),
    Alert("lockstep rejects samples", "sum by (reason) (rate(lockstep_ingest_rejected_samples_total[5m])) > 0", "10m",
          "warning",
          "lockstep rejects samples: {{ $labels.reason }}."),
    Alert("lockstep cannot write", "rate(lockstep_storage_failed_writes_total[5m]) > 0", "1m", "critical",
          "lockstep cannot write to its storage: check its disk and its log."),
)


def uid(alert):
    return "lockstep-" + alert.name.lower().replace(" ", "-")


def model(name, **content):
    return json.dumps({"refId": name, **content}, ensure_ascii=False)


def rule(alert):
    """A query and the condition that it returns a value: the query itself returns only what is wrong."""
    said = json.dumps(alert.summary, ensure_ascii=False)
    asked = model("A", expr=alert.expression, instant=True, range=False,
                  datasource={"type": "prometheus", "uid": SOURCE})
    condition = model("B", type="math", expression="is_number($A) || is_nan($A)",
                      datasource={"type": "__expr__", "uid": "__expr__"})
    return f"""\
      - uid: {uid(alert)}
        title: {json.dumps(alert.name)}
        condition: B
        for: {alert.lasting}
        noDataState: OK
        execErrState: Error
        labels: {{severity: {alert.severity}}}
        annotations: {{summary: {said}}}
        data:
          - refId: A
            datasourceUid: {SOURCE}
            relativeTimeRange: {{from: {LOOK_BACK_S}, to: 0}}
            model: {asked}
          - refId: B
            datasourceUid: __expr__
            relativeTimeRange: {{from: {LOOK_BACK_S}, to: 0}}
            model: {condition}
"""


def text():
    return f"""\
# Generated by grafana/generate.py from grafana/alerts.py.
apiVersion: 1
groups:
  - orgId: 1
    name: lockstep
    folder: lockstep
    interval: {INTERVAL}
    rules:
""" + "".join(map(rule, ALERTS))
