"""The queries for both servers. `{w}` is a window; all windows are at most LONGEST_WINDOW_S.

Every series of a rate() exists from the first scrape on: Prometheus before 2.51 extrapolates
differently where a counter begins inside the window.
"""

LONGEST_WINDOW_S = 20

# Results are stored samples, compared bit by bit.
SAMPLES = (
    'up',
    '{job="node"}',
    '{__name__=~"prometheus_tsdb_.*"}',
    '{__name__=~"node_(load1|load5|load15)"}',
    'node_memory_MemAvailable_bytes',
    'node_network_receive_bytes_total{device!="lo"}',
    'node_cpu_seconds_total{mode=~"user|system",cpu="0"}',
    'prometheus_build_info',
    'scrape_samples_scraped',
    'node_uname_info{rack="r-1"}',
    'node_load1{rack!="", missing=""}',
    'prometheus_tsdb_head_samples_appended_total offset 5s',
    'go_goroutines > 5',
    'node_filesystem_avail_bytes or node_load1',
    'node_load1 and on (instance) up == 1',
    'node_cpu_seconds_total unless node_cpu_seconds_total{mode="idle"}',
    'topk(3, node_memory_MemTotal_bytes or node_memory_MemFree_bytes)',
    'max by (job) (scrape_samples_scraped)',
    'count by (__name__) ({job="node"})',
    'label_replace(up, "short", "$1", "instance", "(.*):.*")',
    'last_over_time(node_load5[10s])',
)

# Results are computed.
VALUES = (
    'rate(node_cpu_seconds_total[20s])',
    'increase(prometheus_tsdb_head_samples_appended_total[10s])',
    'irate(node_context_switches_total[5s])',
    'sum by (mode) (rate(node_cpu_seconds_total[15s]))',
    'sum(rate(node_cpu_seconds_total{mode!="idle"}[10s])) '
    '/ scalar(count(node_cpu_seconds_total{mode="idle"}))',
    '1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes',
    'avg_over_time(go_goroutines[20s])',
    'max_over_time(node_load1[15s]) - min_over_time(node_load1[15s])',
    'quantile_over_time(0.9, scrape_duration_seconds[20s])',
    'stddev_over_time(process_resident_memory_bytes[20s])',
    'delta(process_resident_memory_bytes{job="node"}[10s])',
    'deriv(node_memory_MemFree_bytes[20s])',
    'changes(process_resident_memory_bytes[20s])',
    'resets(node_context_switches_total[20s])',
    'predict_linear(node_memory_MemFree_bytes[20s], 60)',
    'histogram_quantile(0.9, rate(prometheus_tsdb_compaction_chunk_range_seconds_bucket[20s]))',
    'histogram_quantile(0.5, prometheus_http_request_duration_seconds_bucket{handler="/metrics"})',
    'sum without (cpu, mode) (node_cpu_seconds_total)',
    'avg by (job) (scrape_duration_seconds)',
    'stddev(node_cpu_seconds_total)',
    'quantile(0.75, node_cpu_seconds_total)',
    'count_values("value", up)',
    'max_over_time(node_load1[20s:5s])',
    'avg_over_time(go_goroutines[15s:1s])',
    'node_cpu_seconds_total{cpu="0"} * on (instance) group_left (nodename) node_uname_info',
    'round(node_load1 * 100) / 100',
    'clamp_max(node_load15, 1) ^ 2 % 7',
    'timestamp(up)',
    'absent(node_no_such_metric)',
    'absent_over_time(node_load1{job="none"}[10s])',
    'hour(vector(0)) + minute() * 0 + vector(time())',
    'ln(node_memory_MemTotal_bytes) - log2(node_memory_MemTotal_bytes) / 2',
    '-node_load1 == bool -node_load1',
)

# Other paths of the API with their parameters.
NAMES = (
    ("labels", {}),
    ("labels", {"match": ['up', 'node_load1']}),
    ("label/__name__/values", {}),
    ("label/__name__/values", {"match": '{job="node"}'}),
    ("label/mode/values", {"match": 'node_cpu_seconds_total'}),
    ("label/no_such_label/values", {}),
    ("series", {"match": 'up'}),
    ("series", {"match": ['node_load1', '{__name__=~"node_cpu.*",mode="user"}']}),
)
