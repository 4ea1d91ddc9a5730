"""lockstep itself, by the metrics at its /metrics."""

from panels import bars, chosen, dashboard, lines, number
from words import WINDOW

WHERE = 'instance=~"$instance"'


def total(metric, by=""):
    return f"sum {f'by ({by}) ' if by else ''}(rate({metric}{{{WHERE}}}{WINDOW}))"


HEALTH = [
    number("Samples/s", "Stored samples.",
           f'sum(rate(lockstep_storage_samples_total{{{WHERE},outcome="appended"}}{WINDOW}))'),
    number("Rejected samples/s", "Should be 0.",
           total("lockstep_ingest_rejected_samples_total"), limits=[(0.01, "orange")]),
    number("Failed writes/s", "Failed writes to storage. Should be 0: otherwise check the disk.",
           total("lockstep_storage_failed_writes_total"), limits=[(0.001, "red")]),
    number("Queued writes", "Writes waiting for the disk.", f"sum(lockstep_storage_queued_writes{{{WHERE}}})",
           limits=[(100, "orange")]),
    number("Series", "Number of known series.", f"sum(lockstep_storage_series{{{WHERE}}})"),
    number("Disk usage", "Size of all files.", f"sum(lockstep_storage_disk_bytes{{{WHERE}}})", "bytes"),
    lines("Requests", "By path.", [(total("lockstep_api_requests_total", "handler"), "{{handler}}")], "reqps", low=0),
    lines("Failed requests", "By status code or reason.",
          [(f'sum by (code) (rate(lockstep_api_requests_total{{{WHERE},code!~"2.."}}{WINDOW}))', "{{code}}"),
           (total("lockstep_http_failed_requests_total", "reason"), "{{reason}}")], "reqps", low=0),
    lines("Request duration", "p95, by path.",
          [(f"histogram_quantile(0.95, sum by (handler, le) (rate(lockstep_api_request_duration_seconds_bucket{{{WHERE}}}{WINDOW})))", "{{handler}}")],
          "s", low=0),
]
INGESTION = [
    lines("Samples", "Per second, by outcome.", [(total("lockstep_storage_samples_total", "outcome"), "{{outcome}}")],
          "short", low=0),
    lines("Rejected samples", "Per second, by reason.",
          [(total("lockstep_ingest_rejected_samples_total", "reason"), "{{reason}}")], "short", low=0),
    lines("Commit duration", "Average duration of a synced commit.",
          [(f"{total('lockstep_storage_commit_seconds_total')} / {total('lockstep_storage_commits_total')}",
            "average")], "s", low=0),
    lines("Logs and steps", "Pushed lines and records and rejected lines, per second.",
          [(total("lockstep_push_lines_total"), "lines"), (total("lockstep_push_records_total"), "records"),
           (total("lockstep_push_rejected_lines_total"), "rejected lines")], "short", low=0),
    lines("Scrapes", "All and failed scrapes, per second.",
          [(total("lockstep_scrape_scrapes_total"), "scrapes"),
           (total("lockstep_scrape_failed_scrapes_total"), "failed")], "short", low=0),
    lines("Samples in memory", "Samples not yet sealed into a block.", [(f"lockstep_storage_head_samples{{{WHERE}}}", "{{instance}}")],
          "short", low=0),
]
QUERIES = [
    lines("Queries", "Running, queued and rejected queries.",
          [(f"sum(lockstep_queries_running{{{WHERE}}})", "running"),
           (f"sum(lockstep_queries_queued{{{WHERE}}})", "queued"),
           (total("lockstep_queries_refused_total"), "rejected per second")], "short", low=0),
    lines("Samples read", "By queries, per second.", [(total("lockstep_query_samples_total"), "samples")], "short",
          low=0),
    lines("Cache hits", "Share of range queries answered from cached steps.",
          [(f"{total('lockstep_query_cache_hits_total')} / ({total('lockstep_query_cache_hits_total')} + {total('lockstep_query_cache_misses_total')})", "hits")],
          "percentunit", low=0, high=1),
    lines("CPU", "Cores in use.", [(f"rate(process_cpu_seconds_total{{{WHERE}}}{WINDOW})", "{{instance}}")], "short",
          low=0),
    lines("Memory", "Resident memory.", [(f"process_resident_memory_bytes{{{WHERE}}}", "{{instance}}")], "bytes", low=0),
    bars("Disk usage", "Size of all files.", f"lockstep_storage_disk_bytes{{{WHERE}}}",
         "{{instance}}", "bytes", low=0),
]

DASHBOARD = dashboard(
    "lockstep-server", "lockstep / lockstep", "The server itself, from the metrics scraped at its /metrics.",
    [chosen("instance", "Instance", "label_values(lockstep_build_info, instance)", many=True)],
    [("Health", HEALTH), ("Ingestion", INGESTION), ("Queries", QUERIES)])
