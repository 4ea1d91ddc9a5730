"""The MetricsQL functions in lockstep return what VictoriaMetrics' own do.

LOCKSTEP_PROGRAM names the server. Runs next to the victoria-metrics that tools/get_peers.sh unpacks
among the peers; without it the test is skipped.
"""

import pathlib
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs
import remote_write
from lockstep_server import Server

MINUTE_S = 60
START_S = 1_700_000_000 // MINUTE_S * MINUTE_S
SERIES = {
    ("gpu", ("host", "a"), ("rank", "0")): (10, 11),
    ("gpu", ("host", "a"), ("rank", "1")): (20, 21),
    ("gpu", ("host", "b"), ("rank", "2")): (30, 31),
    ("gaps",): (None, 1, None, None, 4, None),
    ("running",): (4, 2, 5, 6),
    ("varied_total", ("host", "a")): (5, 65, 185, 60, 90),
    ("flat", ("job", "x")): (3, 3, 3),
    ("steady_total", ("host", "a"), ("job", "x")): (0, 60, 120, 180, 240),
    ("steady_total", ("host", "b"), ("job", "x")): (0, 240, 480, 720, 960),
    ("ALERTS_FOR_STATE", ("alertname", "pending")): (100, 100, 100),
    ("ALERTS_FOR_STATE", ("alertname", "resolved")): (200, 200, remote_write.STALE),
}
EXPLORE = """
with (q = %s) (
  alias(min(label_match(q, "rollup", "min")), "min"),
  alias(max(label_match(q, "rollup", "max")), "max"),
  alias(avg(label_match(q, "rollup", "avg")), "avg"),
)"""
# Query, and the minutes of the evaluation: (m,) for an instant query, (first, last) for a range.
ASKED = (
    ('default_rollup(ALERTS_FOR_STATE{alertname="pending"}[3600s])', (32,)),
    ("default_rollup(ALERTS_FOR_STATE[3600s])", (1,)),
    ("default_rollup(ALERTS_FOR_STATE[3600s])", (2,)),
    ('default_rollup(gpu{rank="0"}[2m])', (0, 5)),
    ('alias(gpu{host="b"}, "foobar")', (0,)),
    ('alias(sum(gpu) * 2, "twice")', (0,)),
    ('alias(gpu{host="b"}, "")', (0,)),
    ('label_set(gpu{host="b"}, "rank", "x", "new", "y", "host", "")', (0,)),
    ('label_set(gpu, "rank", "x")', (0,)),
    ('label_set(gpu, "rank", "x", "host")', (0,)),
    ('label_del(gpu{host="b"}, "host", "none")', (0,)),
    ('label_del(gpu{host="b"}, "__name__", "host")', (0,)),
    ('label_keep(gpu{host="b"}, "host")', (0,)),
    ('label_keep(gpu{host="b"}, "host", "__name__")', (0,)),
    ('label_match(gpu, "rank", "1|2")', (0,)),
    ('label_mismatch(gpu, "rank", "1|2")', (0,)),
    ("keep_last_value(last_over_time(gaps[1m]))", (0, 6)),
    ("keep_last_value(last_over_time(gaps[1m]) > 3)", (0, 5)),
    ("running_sum(running)", (0, 3)),
    ("running_avg(running)", (0, 3)),
    ("running_min(running)", (0, 3)),
    ("running_max(running)", (0, 3)),
    ("running_sum(vector(1))", (0, 2)),
    ("limit_offset(1, 0, sort_desc(gpu))", (0,)),
    ("limit_offset(1, 2, sort(gpu))", (0,)),
    ("limit_offset(5, 3, gpu)", (0,)),
    # Between the samples of a window VictoriaMetrics counts the last change twice, so averages are
    # tested with a steady series.
    ("rollup_rate(steady_total[10m])", (4,)),
    ("rollup_increase(steady_total[10m])", (4,)),
    ("rollup_delta(steady_total[10m])", (4,)),
    ("rollup_deriv(steady_total[10m])", (4,)),
    ("rollup(gpu[10m])", (1,)),
    ('rollup(varied_total[3m], "avg")', (2, 4)),
    ("increase_pure(varied_total[1m])", (0, 4)),
    ("increase_pure(varied_total[3m])", (0, 4)),
    *(
        (f'{rollup}(varied_total[10m], "{statistic}")', (4,))
        for rollup in ("rollup", "rollup_rate", "rollup_increase", "rollup_delta", "rollup_deriv")
        for statistic in ("min", "max")
    ),
    ('union(gpu{rank="0"}, gpu, running)', (0,)),
    ('(alias(gpu{rank="0"}, "x"), alias(gpu{rank="0"} * 2, "x"))', (0,)),
    ("WITH () sum((gpu, running,)) by (host)", (0,)),
    ("WITH (q = gpu{host=\"a\"}, f(x, y) = sum(x) / y) f(q, 10)", (0,)),
    ('WITH (both = {host="a", rank="0"}) gpu{both}', (0,)),
    ("WITH (q = gpu) last_over_time(q[5m]) + q{rank=\"1\"}", (1,)),
    ('with (gpu = gpu{rank="0"}) gpu', (0,)),
    ("WITH (x = vector(1) + 1) x * x", (0,)),
    ("WITH (f(x) = x, x = 7) f(x, 1)", (0,)),
    ("WITH (x = y) 2 +", (0,)),
    # The queries of vmui for a page of metrics.
    (EXPLORE % 'rollup_rate({job="x",__name__="steady_total"})', (2, 4)),
    (EXPLORE % 'rollup({job="x",__name__="flat"})', (1, 2)),
)


def written():
    for (name, *labels), values in SERIES.items():
        yield (
            {"__name__": name, **dict(labels)},
            [
                ((START_S + MINUTE_S * i) * 1000, value)
                for i, value in enumerate(values)
                if value is not None
            ],
        )


def write(url):
    request = urllib.request.Request(
        url + remote_write.PATH, remote_write.body(list(written())), remote_write.HEADERS
    )
    urllib.request.urlopen(request).close()


def answer(url, query, minutes):
    """{labels: {minute: value}}, or "an error"."""
    times = [str(START_S + MINUTE_S * minute) for minute in minutes]
    try:
        if len(times) == 1:
            result = programs.ask(url, "query", query=query, time=times[0])["result"]
        else:
            result = programs.ask(
                url, "query_range", query=query, start=times[0], end=times[1], step="1m"
            )["result"]
    except AssertionError:
        return "an error"
    return {
        tuple(sorted(row["metric"].items())): {
            int(at): value for at, value in row.get("values") or [row["value"]]
        }
        for row in result
    }


class MetricsqlTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = programs.find_peer("victoria-metrics")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-metricsql-")
        cls.addClassCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        address = programs.free_address()
        cls.peer = programs.Listener(
            folder,
            "victoria-metrics",
            [
                program,
                f"-storageDataPath={folder / 'peer'}",
                f"-httpListenAddr={address}",
                "-retentionPeriod=100y",
                "-search.latencyOffset=0s",
            ],
            address,
            "/health",
        )
        cls.addClassCleanup(cls.peer.kill)
        cls.server = Server.ready(folder, "--storage.retention.time", "100y")
        cls.addClassCleanup(cls.server.kill)
        for url in (cls.peer.url, cls.server.url):
            write(url)
        urllib.request.urlopen(cls.peer.url + "/internal/force_flush").close()
        programs.wait_until(
            lambda: answer(cls.peer.url, "count(gpu)", (0,)) == {(): {START_S: "3"}},
            "the peer has what it was sent",
            programs.READY_WITHIN_S,
        )

    def test_answers_are_the_same(self):
        for query, minutes in ASKED:
            with self.subTest(query=query, minutes=minutes):
                self.assertEqual(
                    answer(self.server.url, query, minutes), answer(self.peer.url, query, minutes)
                )


if __name__ == "__main__":
    unittest.main()
