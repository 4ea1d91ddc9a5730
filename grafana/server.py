"""lockstep itself, by what it says at /metrics."""

from panels import bars, chosen, dashboard, lines, number
from words import WINDOW

WHERE = 'instance=~"$instance"'


def total(metric, by=""):
    return f"sum {f'by ({by}) ' if by else ''}(rate({metric}{{{WHERE}}}{WINDOW}))"


HEALTH = [
    number("Samples a second", "Stored.",
           f'sum(rate(lockstep_storage_samples_total{{{WHERE},outcome="appended"}}{WINDOW}))'),
    number("Refused samples", "A second, for reasons of their own. Should be 0.",
           total("lockstep_ingest_rejected_samples_total"), limits=[(0.01, "orange")]),
    number("Failed writes", "A second, by the store. Should be 0: look at the disk.",
           total("lockstep_storage_failed_writes_total"), limits=[(0.001, "red")]),
    number("Queued writes", "That wait for the disk.", f"sum(lockstep_storage_queued_writes{{{WHERE}}})",
           limits=[(100, "orange")]),
    number("Series", "Known.", f"sum(lockstep_storage_series{{{WHERE}}})"),
    number("Disk", "All files.", f"sum(lockstep_storage_disk_bytes{{{WHERE}}})", "bytes"),
    lines("Requests", "By path.", [(total("lockstep_api_requests_total", "handler"), "{{handler}}")], "reqps", low=0),
    lines("Requests that failed", "By answer.",
          [(f'sum by (code) (rate(lockstep_api_requests_total{{{WHERE},code!~"2.."}}{WINDOW}))', "{{code}}"),
           (total("lockstep_http_failed_requests_total", "reason"), "{{reason}}")], "reqps", low=0),
    lines("How long requests take", "p95, by path.",
          [(f"histogram_quantile(0.95, sum by (handler, le) (rate(lockstep_api_request_duration_seconds_bucket{{{WHERE}}}{WINDOW})))", "{{handler}}")],
          "s", low=0),
]
WRITING = [
    lines("Samples", "By what became of them.", [(total("lockstep_storage_samples_total", "outcome"), "{{outcome}}")],
          "short", low=0),
    lines("Refused samples", "By reason.",
          [(total("lockstep_ingest_rejected_samples_total", "reason"), "{{reason}}")], "short", low=0),
    lines("Commits", "Time of one synced commit, mean.",
          [(f"{total('lockstep_storage_commit_seconds_total')} / {total('lockstep_storage_commits_total')}",
            "a commit")], "s", low=0),
    lines("Logs and steps", "Lines, records and what was rejected.",
          [(total("lockstep_push_lines_total"), "lines"), (total("lockstep_push_records_total"), "records"),
           (total("lockstep_push_rejected_lines_total"), "rejected lines")], "short", low=0),
    lines("Scrapes", "And those that failed.",
          [(total("lockstep_scrape_scrapes_total"), "scrapes"),
           (total("lockstep_scrape_failed_scrapes_total"), "failed")], "short", low=0),
    lines("Samples in memory", "Not sealed yet.", [(f"lockstep_storage_head_samples{{{WHERE}}}", "{{instance}}")],
          "short", low=0),
]
ASKING = [
    lines("Queries", "Running and waiting for a place.",
          [(f"sum(lockstep_queries_running{{{WHERE}}})", "running"),
           (f"sum(lockstep_queries_queued{{{WHERE}}})", "waiting"),
           (total("lockstep_queries_refused_total"), "refused a second")], "short", low=0),
    lines("Samples read", "A second, for queries.", [(total("lockstep_query_samples_total"), "samples")], "short",
          low=0),
    lines("Answers used again", "Range queries whose steps were known, of all.",
          [(f"{total('lockstep_query_cache_hits_total')} / ({total('lockstep_query_cache_hits_total')} + {total('lockstep_query_cache_misses_total')})", "share")],
          "percentunit", low=0, high=1),
    lines("Processor", "Cores.", [(f"rate(process_cpu_seconds_total{{{WHERE}}}{WINDOW})", "{{instance}}")], "short",
          low=0),
    lines("Memory", "Resident.", [(f"process_resident_memory_bytes{{{WHERE}}}", "{{instance}}")], "bytes", low=0),
    bars("Disk", "All files, and the budget where there is one.", f"lockstep_storage_disk_bytes{{{WHERE}}}",
         "{{instance}}", "bytes", low=0),
]

DASHBOARD = dashboard(
    "lockstep-server", "lockstep / lockstep", "The server itself, where it is scraped at /metrics.",
    [chosen("instance", "Instance", "label_values(lockstep_build_info, instance)", many=True)],
    [("Health", HEALTH), ("Writing", WRITING), ("Asking", ASKING)])
