"""Grafana's own Prometheus data source, the Go module that its server runs, queries lockstep: every
panel of grafana/, health, labels, metadata, exemplars.

LOCKSTEP_PROGRAM names the server. tools/build_grafana_prometheus.sh build/tools builds the program
in tests/interop/grafana; without it the test is skipped.
"""

import json
import pathlib
import subprocess
import sys
import unittest
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "grafana"))
import dashboards
from panels_test import ASKED_FOR, EMPTY
from recordings import Recordings
import programs
from remote_write import HEADERS, PATH, double, label, length_delimited, sample, snappy, varint

PROGRAM = programs.ROOT / "build/tools/grafana-prometheus"
WITHIN_S = 120
RANGE_MS, INTERVAL_MS = 30_000, 5_000
TIME_S = 1795242085
# The data source replaces these itself.
ITS_OWN = {name: f"${{{name}}}" for name in ("__rate_interval", "__range", "__range_s")}
JOB = "pretrain-bf16"


def write_exemplar(server):
    """A counter whose sample at TIME_S has an exemplar with a trace."""
    exemplar = (length_delimited(1, length_delimited(1, b"trace_id") + length_delimited(2, b"abc123")) +
                b"\x11" + double(0.25) + b"\x18" + varint(TIME_S * 1000))
    series = (label("__name__", "traced_total") + label("job", "traced") + sample(TIME_S * 1000, 7.0) +
              length_delimited(3, exemplar))
    connection = server.connect()
    connection._http.request("POST", PATH, snappy(length_delimited(1, series)), HEADERS)
    assert connection._http.getresponse().status == 204
    connection.close()


def query(expression, time_s=TIME_S, **model):
    return {"fromMs": time_s * 1000 - RANGE_MS, "toMs": time_s * 1000, "intervalMs": INTERVAL_MS,
            "model": {"refId": "A", "expr": expression, "range": True, "interval": "5s", "intervalMs": INTERVAL_MS,
                      **model}}


def put_in(asked, dashboard, job):
    values = {name: ".*" for name in dashboards.variables(dashboard)} | {"job": job, **ITS_OWN}
    values |= {one["name"]: one["query"] for one in dashboard["templating"]["list"] if one["type"] == "textbox"}
    return dashboards.put_in(asked.expression, values)


def columns(frame):
    """Times in milliseconds and values of a frame, and the labels of the values."""
    times, values = frame["data"]["values"]
    return times, values, frame["schema"]["fields"][1].get("labels", {})


class GrafanaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM.exists():
            raise unittest.SkipTest(f"{PROGRAM} is missing: run 'tools/build_grafana_prometheus.sh build/tools'")
        cls.server = Recordings(cls).lockstep
        write_exemplar(cls.server)

    def ask(self, queries=(), resources=()):
        asked = {"url": self.server.url, "queries": list(queries),
                 "resources": [{"target": target, "body": body} for target, body in resources]}
        result = subprocess.run([str(PROGRAM)], input=json.dumps(asked), capture_output=True, text=True,
                                timeout=WITHIN_S)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        return json.loads(result.stdout)

    def frames(self, asked):
        [response] = self.ask([asked])["responses"]
        self.assertEqual(response["error"], "")
        return response["frames"] or []

    def resource(self, target, body=None):
        [resource] = self.ask(resources=[(target, body)])["resources"]
        self.assertEqual(resource["status"], 200, resource)
        return resource["body"]["data"]

    def test_health(self):
        answer = self.ask()
        self.assertEqual((answer["health"]["Status"], answer["health"]["Message"]),
                         (1, "Successfully queried the Prometheus API."))
        # It is recognized as the Prometheus whose API it has.
        self.assertEqual(answer["details"]["application"], "Prometheus")

    def test_every_panel(self):
        asked = [(one, put_in(one, dashboard, ASKED_FOR[name][0]), ASKED_FOR[name][1])
                 for name, dashboard in dashboards.load().items() for one in dashboards.queries(name, dashboard)]
        responses = self.ask([query(text, time_s, instant=one.is_instant, range=not one.is_instant,
                                    legendFormat=one.legend)
                              for one, text, time_s in asked])["responses"]
        filled = set()
        for (one, text, _), response in zip(asked, responses):
            with self.subTest(dashboard=one.dashboard, panel=one.panel, query=text):
                self.assertEqual(response["error"], "")
            if any(frame["data"]["values"] and frame["data"]["values"][0] for frame in response["frames"] or ()):
                filled.add((one.dashboard, one.panel))
        empty = {(one.dashboard, one.panel) for one, _, _ in asked} - filled
        self.assertEqual({key for key in empty if key[0] != "inference"}, set(EMPTY))

    def test_annotations(self):
        """The data source puts the width of a point into the window, so that none falls between two points."""
        moment_s = TIME_S - 12.5
        body = json.dumps({"job": JOB, "kind": "deploy", "text": "new data", "time": moment_s}).encode()
        urllib.request.urlopen(f"{self.server.url}/api/v1/annotations", body, timeout=WITHIN_S).close()
        [annotated] = dashboards.load()["job"]["annotations"]["list"]
        text = dashboards.put_in(annotated["expr"], {"job": JOB, "__interval": "$__interval"})
        for width_s in (3600, 86400, 30 * 86400):
            asked = query(text, TIME_S + width_s // 2, interval=annotated["step"], intervalMs=10 * width_s)
            [frame] = self.frames({**asked, "fromMs": (TIME_S - width_s // 2) * 1000, "intervalMs": 10 * width_s})
            times, _, labels = columns(frame)
            self.assertEqual(len(times), 1, (width_s, times))
            self.assertTrue(moment_s <= times[0] / 1000 < moment_s + max(15, width_s / 100) + 1)
            self.assertEqual((labels["kind"], labels["text"]), ("deploy", "new data"))

    def test_values_are_those_of_the_api(self):
        text = f'avg by (rank) (train_step_time_seconds{{job="{JOB}"}})'
        expected = programs.ask(self.server.url, "query_range", query=text, start=TIME_S - RANGE_MS / 1000, end=TIME_S,
                                step=INTERVAL_MS / 1000)["result"]
        frames = self.frames(query(text, legendFormat="rank {{rank}}"))
        self.assertEqual(len(frames), 4)
        for frame, series in zip(frames, expected):
            times, values, labels = columns(frame)
            self.assertEqual(labels, series["metric"])
            self.assertEqual(frame["schema"]["fields"][1]["config"]["displayNameFromDS"], f"rank {labels['rank']}")
            self.assertEqual([[time / 1000, value] for time, value in zip(times, values)],
                             [[time, float(value)] for time, value in series["values"]])

    def test_its_own_variables(self):
        """Computes a rate interval from four scrape intervals and the interval of the query."""
        [frame] = self.frames(query(f'sum(count_over_time(train_step{{job="{JOB}",rank="0"}}[$__range]))',
                                    instant=True, range=False))
        in_range = programs.ask(self.server.url, "query", time=TIME_S,
                                query=f'count_over_time(train_step{{job="{JOB}",rank="0"}}[30s])')["result"]
        self.assertEqual(columns(frame)[1], [float(in_range[0]["value"][1])])
        self.assertEqual(len(self.frames(query(f'rate(train_step{{job="{JOB}"}}[$__rate_interval])'))), 4)

    def test_errors_are_told(self):
        [response] = self.ask([query("rate(up[5m]) +")])["responses"]
        self.assertIn("unexpected end of input", response["error"])

    def test_what_the_query_editor_asks_for(self):
        bounds = f"start={TIME_S - 30}&end={TIME_S}"
        self.assertIn("job", self.resource(f"api/v1/labels?{bounds}"))
        self.assertIn(JOB, self.resource(f"api/v1/label/job/values?{bounds}"))
        self.assertEqual(self.resource(f"api/v1/label/rank/values?match[]=train_loss&{bounds}"), ["0", "1", "2", "3"])
        self.assertEqual(self.resource("api/v1/metadata?metric=train_loss")["train_loss"][0]["type"], "gauge")
        self.assertEqual(len(self.resource(f'api/v1/series?match[]=train_loss{{job="{JOB}"}}&{bounds}')), 4)
        self.assertEqual(self.resource("api/v1/rules"), {"groups": []})

    def test_suggestions(self):
        body = {"labelName": "job", "queries": ["train_loss"], "start": str(TIME_S - 30), "end": str(TIME_S)}
        self.assertIn(JOB, self.resource("suggestions", body))

    def test_exemplars(self):
        frames = self.frames(query("traced_total", exemplar=True))
        [exemplars] = [frame for frame in frames if frame["schema"].get("meta", {}).get("custom",
                                                                                        {}).get("resultType") == "exemplar"]
        told = dict(zip((field["name"] for field in exemplars["schema"]["fields"]), exemplars["data"]["values"]))
        self.assertEqual((told["Time"], told["Value"], told["trace_id"]), ([TIME_S * 1000], [0.25], ["abc123"]))


if __name__ == "__main__":
    unittest.main()
