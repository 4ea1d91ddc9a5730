"""The annotation queries of the dashboards, drawn as Grafana's Prometheus data source draws them.

LOCKSTEP_PROGRAM names the server.
"""

import json
import unittest
import urllib.request

import dashboards
from dashboards import put_in
from recordings import Recordings
from programs import ask

JOB, TIME_S = "straggler-loader", 1795242230
ANNOTATIONS = (
    {"job": JOB, "kind": "profile", "text": "nsys of rank 1", "start": TIME_S, "end": TIME_S + 600, "tags": ["nsys"]},
    {"job": JOB, "kind": "checkpoint", "text": "saved", "time": TIME_S - 1000.5},
    {"kind": "deploy", "text": "driver 570", "time": TIME_S + 1500},
    {"job": "another", "text": "not of this job", "time": TIME_S},
)
# Widths of the time picker and the steps that Grafana queries them with: a hundredth, at least the query's own.
WIDTHS = ((3600, 30), (86400, 900), (30 * 86400, 28800))


def regions(result, step_s):
    """{text: [(first, last)]}: the data source joins points that are at most a step apart."""
    drawn = {}
    for row in result:
        for time_s, value in row["values"]:
            if float(value) <= 0:
                continue
            known = drawn.setdefault(row["metric"]["text"], [])
            if known and known[-1][1] + step_s >= time_s:
                known[-1] = (known[-1][0], time_s)
            else:
                known.append((time_s, time_s))
    return drawn


class AnnotationsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Recordings(cls).lockstep
        request = urllib.request.Request(f"{cls.server.url}/api/v1/annotations", json.dumps(ANNOTATIONS).encode())
        urllib.request.urlopen(request, timeout=60).close()

    def drawn(self, query, job, width_s, step_s):
        text = put_in(query["expr"], {"job": job, "__interval": f"{step_s}s"})
        end_s = (TIME_S + width_s // 2) // step_s * step_s
        result = ask(self.server.url, "query_range", query=text, start=end_s - width_s, end=end_s, step=step_s)["result"]
        return regions(result, step_s)

    def queries(self):
        """{dashboard: its annotation query}"""
        found = {}
        for name, dashboard in dashboards.load().items():
            for query in dashboard["annotations"]["list"]:
                found[name] = query
        return found

    def test_dashboards_of_jobs_have_one(self):
        self.assertEqual(set(self.queries()), {"efficiency", "fleet", "job", "straggler", "training"})

    def test_each_annotation_of_the_job_is_drawn_once_however_wide_the_picture(self):
        for name, query in self.queries().items():
            for width_s, step_s in WIDTHS:
                with self.subTest(dashboard=name, width=width_s):
                    drawn = self.drawn(query, ".*" if name == "fleet" else JOB, width_s, step_s)
                    wanted = {one["text"] for one in ANNOTATIONS if name == "fleet" or one.get("job") == JOB}
                    self.assertEqual(set(drawn), wanted)
                    for text, found in drawn.items():
                        self.assertEqual(len(found), 1, (text, found))

    def test_marks_are_where_they_belong(self):
        drawn = self.drawn(self.queries()["job"], JOB, 3600, 30)
        [(first, last)] = drawn["nsys of rank 1"]
        self.assertTrue(TIME_S <= first < TIME_S + 30 and TIME_S + 600 <= last < TIME_S + 630, (first, last))
        [(first, last)] = drawn["saved"]
        self.assertEqual(first, last)
        self.assertTrue(TIME_S - 1000.5 <= first < TIME_S - 970)

    def test_titles_and_tags_are_labels_of_the_series(self):
        query = self.queries()["job"]
        self.assertEqual((query["titleFormat"], query["textFormat"]), ("{{kind}}", "{{text}}"))
        [series] = ask(self.server.url, "query", query=f'lockstep_annotation{{job="{JOB}"}}', time=TIME_S + 5)["result"]
        self.assertEqual(series["metric"], {"__name__": "lockstep_annotation", "job": JOB, "kind": "profile",
                                            "text": "nsys of rank 1", "tags": "nsys"})
        self.assertTrue(set(query["tagKeys"].split(",")) <= set(series["metric"]))


if __name__ == "__main__":
    unittest.main()
