"""stats=all counts samples like a real Prometheus 3, in total and per step, for the compliance
queries and for other cases that affect the count.

LOCKSTEP_PROGRAM names the server.
"""

import subprocess
import sys
import unittest

import prometheus3
import remote_write

END_S = 1709251657  # where the data end
EXPRESSIONS = (
    "up @ end()", "sum(rate(demo_cpu_usage_seconds_total[5m] @ 1709251000))",
    "up + on () group_left () count(up @ start())", "timestamp(up)", "absent_over_time(up[5m])",
    "max_over_time(rate(demo_cpu_usage_seconds_total[1m])[5m:30s])", "up[5m]", "up[5m:1m]",
    "sum_over_time(up[5m:1m] @ end())", "1", "time()", "vector(1)", "up offset 1h",
    "h", "rate(h[5m])", "histogram_quantile(0.9, h)", "h[5m]", "sum(h)",
)


def histograms():
    """Native histograms, which count by their size."""
    return remote_write.protobuf([({"__name__": "h"}, [
        ((END_S - 600 + 30 * i) * 1000 + 400,
         remote_write.Histogram(schema=0, count=10.0 + i, sum=5.0, floats=True,
                                positive={bucket: 1.0 + i for bucket in range(7)}))
        for i in range(20)])])


class QueryStatsTest(prometheus3.SideBySide):
    prometheus_flags = (
        "--enable-feature=promql-experimental-functions,native-histograms,promql-per-step-stats",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        script = prometheus3.QUERIES.parent / "demo_dataset.py"
        subprocess.run([sys.executable, script, "--end", str(END_S),
                        "--url", f"{cls.prometheus.url}/api/v1/write",
                        "--url", f"{cls.lockstep.url}/api/v1/write"],
                       check=True, stdout=subprocess.DEVNULL)
        for server in (cls.prometheus, cls.lockstep):
            prometheus3.push(server, histograms())

    def check(self, path, **parameters):
        for query in (*prometheus3.compliance_queries(), *EXPRESSIONS):
            theirs = self.counts(self.prometheus, path, query, parameters)
            if theirs is not None:  # otherwise the query fails in both, which other tests cover
                with self.subTest(path=path, query=query):
                    self.assertEqual(theirs, self.counts(self.lockstep, path, query, parameters))

    def counts(self, server, path, query, parameters):
        status, document = prometheus3.ask(server, path, query=query, stats="all", **parameters)
        if status != 200:
            return None
        samples = document["data"]["stats"]["samples"]
        # About the memory of an evaluation that works differently.
        self.assertGreaterEqual(samples.pop("peakSamples"), 0)
        return samples

    def test_instant_queries(self):
        self.check("query", time=END_S)

    def test_range_queries(self):
        self.check("query_range", start=END_S - 1200, end=END_S, step=60)
        self.check("query_range", start=END_S - 60.5, end=END_S, step=7.25)


if __name__ == "__main__":
    unittest.main()
