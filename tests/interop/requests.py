"""The requests to both servers: paths below /api/v1/, with their parameters.

The data are at T and in the 15 minutes before it, off whole seconds, so that no edge of a window
coincides with a sample: windows include their left edge in Prometheus before 3.0, but not in
lockstep.
"""

import math

T = 1700000000
# As written by a sender.
SERIES = (
    ({"__name__": "up", "job": "api", "instance": "a:1"}, 1),
    ({"__name__": "up", "job": "api", "instance": "b:2"}, 0),
    ({"__name__": "up", "job": "web", "instance": "a:1"}, 1),
    ({"__name__": "odd_values", "kind": "nan"}, math.nan),
    ({"__name__": "odd_values", "kind": "inf"}, math.inf),
    ({"__name__": "odd_values", "kind": "negative inf"}, -math.inf),
    ({"__name__": "odd_values", "kind": "large"}, 1e21),
    ({"__name__": "odd_values", "kind": "just below"}, 9.999e20),
    ({"__name__": "odd_values", "kind": "small"}, 1e-7),
    ({"__name__": "odd_values", "kind": "just above"}, 1e-6),
    ({"__name__": "odd_values", "kind": "negative zero"}, -0.0),
    ({"__name__": "odd_values", "kind": "largest"}, 1.7976931348623157e308),
    ({"__name__": "odd_values", "kind": "smallest"}, 5e-324),
    ({"__name__": "odd_values", "kind": "third"}, 1 / 3),
    ({"__name__": "odd_labels", "text": 'quote " and \\ and\nline\tend\x01'}, 1),
    ({"__name__": "odd_labels", "text": "zürich 東京 \U0001F600"}, 2),
    ({"__name__": "odd_labels", "Upper": "X", "_under": "y", "z9": "z"}, 3),
    ({"__name__": "requests:rate5m"}, 42),
    ({"__name__": "requests_total", "job": "api"}, 1000),
)

# Responses are equal to Prometheus' byte for byte.
SAME_BYTES = (
    # Every type of result, and every way to specify times.
    ("query", {"query": "up", "time": T}),
    ("query", {"query": "up", "time": f"{T}.5"}),
    ("query", {"query": "up", "time": "2023-11-14T22:13:20.250Z"}),
    ("query", {"query": "up", "time": "2023-11-14T23:13:20+01:00"}),
    ("query", {"query": "sort(odd_values)", "time": T}),
    ("query", {"query": "-odd_values{kind=~'.*e.*'} * 10", "time": T}),
    ("query", {"query": "odd_labels", "time": T}),
    ("query", {"query": 'odd_labels{text=~".*京.*"}', "time": T}),
    ("query", {"query": "requests:rate5m", "time": T}),
    ("query", {"query": "up[2m]", "time": T}),
    ("query", {"query": 'up{job="web"}[1m] offset 30s', "time": T}),
    ("query", {"query": "avg_over_time(up[5m:1m])", "time": T}),
    ("query", {"query": "max_over_time(up[5m:1m])[3m:1m]", "time": T}),
    ("query", {"query": "none", "time": T}),
    ("query", {"query": "up", "time": 0}),
    ("query", {"query": "1 + 1", "time": 4}),
    ("query", {"query": "time()", "time": f"{T}.123"}),
    ("query", {"query": "1e21", "time": 4}),
    ("query", {"query": "1e-7", "time": 1.25}),
    ("query", {"query": "vector(1e-7)", "time": 1.25}),
    ("query", {"query": "NaN", "time": 4}),
    ("query", {"query": "-Inf", "time": 4}),
    ("query", {"query": '"text <&> \\"quoted\\""', "time": 1.5}),
    ("query", {"query": "scalar(up{job='web'})", "time": T}),
    ("query", {"query": "absent(none{a='b'})", "time": T}),
    ("query", {"query": "count_values('value', odd_values)", "time": T, "timeout": "30s"}),
    ("query_range", {"query": "up", "start": T - 120, "end": T, "step": 60}),
    ("query_range", {"query": "up", "start": T - 1.5, "end": T, "step": "500ms"}),
    ("query_range", {"query": "sum by (job) (up)", "start": T - 600, "end": T, "step": "1m0s"}),
    ("query_range", {"query": "odd_values", "start": T - 60, "end": T, "step": 30}),
    ("query_range", {"query": "none", "start": T - 60, "end": T, "step": 30}),
    ("query_range", {"query": "1", "start": 0, "end": 3, "step": 0.5}),
    ("query_range", {"query": "1", "start": 0, "end": 11000, "step": 1}),
    ("query_range", {"query": "rate(requests_total[5m])", "start": T - 300, "end": T, "step": 15}),
    # Names.
    ("labels", {}),
    ("labels", {"match[]": "up"}),
    ("labels", {"match[]": ["up", "odd_values"], "start": T - 60, "end": T}),
    ("labels", {"match[]": "none"}),
    ("label/__name__/values", {}),
    ("label/instance/values", {}),
    ("label/instance/values", {"match[]": 'up{job="web"}'}),
    ("label/text/values", {}),
    ("label/none/values", {}),
    ("series", {"match[]": "up"}),
    ("series", {"match[]": ['up{job="web"}', '{__name__=~"odd.*"}', "up"]}),
    ("series", {"match[]": "none"}),
    ("series", {"match[]": "up", "start": T - 60, "end": T}),
    # Unknown names.
    ("query_exemplars", {"query": "test", "start": T * 1000, "end": T * 1000 + 60}),
    ("query_exemplars", {"query": "1"}),
    ("metadata", {}),
    ("metadata", {"metric": "none", "limit": 3}),
    ("rules", {}),
    ("rules", {"type": "alert"}),
    ("alerts", {}),
    ("status/walreplay", {}),
    # Formatting.
    ("format_query", {"query": "foo/bar"}),
    ("format_query", {"query": "sum by(job)(rate(a_long_metric_name_total{b='c',d=~'e|f'}[5m]))"
                               "/on(job)group_left(x)count without(a)(another_long_metric_name offset 5m"
                               ">bool 0.5)"}),
    # Invalid requests.
    ("query", {"query": "foo +"}),
    ("query", {"query": "sum(up, up)"}),
    ("query", {"query": "foo(up)"}),
    ("query", {"query": "rate(up)"}),
    ("query", {"query": "1 and 1"}),
    ("query", {"query": '"a" + 1'}),
    ("query", {"query": 'up{a="b}'}),
    ("query", {"query": '{a=~".*"}'}),
    ("query", {"query": "up", "time": T, "timeout": "x"}),
    ("query", {"query": "label_replace(up, 'a', 'b', 'c', '(')", "time": T}),
    ("query_range", {"query": "1", "start": T, "end": T - 60, "step": 1}),
    ("query_range", {"query": "1", "start": T - 60, "end": T, "step": 0}),
    ("query_range", {"query": "1", "start": T - 60, "end": T, "step": -1}),
    ("query_range", {"query": "1", "start": T - 60, "end": T, "step": "x"}),
    ("query_range", {"query": "1", "start": "", "end": T, "step": 1}),
    ("query_range", {"query": "1", "end": T, "step": 1}),
    ("query_range", {"query": "1", "start": 0, "end": 11001, "step": 1}),
    ("labels", {"match[]": "{"}),
    ("labels", {"match[]": '{a=~".*"}'}),
    ("series", {}),
    ("series", {"match[]": "{}"}),
    ("series", {"match[]": "a{"}),
    ("query_exemplars", {"query": "up", "start": 2, "end": 1}),
    ("query_exemplars", {"query": "up{"}),
    ("metadata", {"limit": "x"}),
)

# Responses have the same status and errorType; the texts changed after the Prometheus version used
# here.
SAME_ERROR = (
    ("query", {"query": ""}),
    ("query", {"query": "up["}),
    ("query", {"query": "up", "time": "abc"}),
    ("query", {"query": "up offset"}),
    ("query", {"query": 'up{a=~"("}'}),
    ("query_range", {"query": "1 +", "start": 0, "end": 1, "step": 1}),
    ("query_range", {"query": "up[5m]", "start": 0, "end": 1, "step": 1}),
    ("query_range", {"query": '"a"', "start": 0, "end": 1, "step": 1}),
    ("query", {"query": "up * on (job) up", "time": T}),
    ("labels", {"start": "x"}),
    ("label/job/values", {"end": "x"}),
    ("series", {"match[]": "up", "start": "x"}),
    ("format_query", {"query": ""}),
    ("nothing", {}),
)

# Arguments of promtool; {url} is replaced by the server's.
PROMTOOL = (
    ("query", "instant", "{url}", "up", f"--time={T}"),
    ("query", "instant", "-o", "json", "{url}", "odd_labels", f"--time={T}"),
    ("query", "range", "{url}", "sum by (job) (up)", f"--start={T - 600}", f"--end={T}", "--step=1m"),
    ("query", "series", "{url}", "--match=up", f"--start={T - 60}", f"--end={T}"),
    ("query", "labels", "{url}", "job", f"--start={T - 60}", f"--end={T}"),
    ("query", "labels", "{url}", "job", "--match=none"),
    ("query", "instant", "{url}", "up +"),
)
