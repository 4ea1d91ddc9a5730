"""Responses of the query API, and the differences between two of them."""

import http.client
import json
import math
import re
import urllib.parse
from dataclasses import dataclass

ANSWER_WITHIN_S = 120

# Results of these functions come from a mathematics library: Go's in Prometheus, the C library in
# lockstep, whose last bits are rounded differently. Everything else is compared bit by bit.
INEXACT = re.compile(
    r"(?i)\b(a?(sin|cos|tan)h?|exp|ln|log2|log10|atan2"
    r"|histogram_(quantiles?|fraction|stddev|stdvar))\b|\^|</|>/"
)
RELATIVE_TOLERANCE = 1e-12


@dataclass
class Answer:
    """A server's response: `kind` is the type of the result, or "error"."""

    status: int
    kind: str
    # {labels: {time: value}}; labels are sorted pairs, values texts or histograms
    series: dict
    order: list  # the labels in the order of the response
    error: tuple
    annotations: tuple
    body: str


class Client:
    """Queries one server over one connection."""

    def __init__(self, address):
        self._http = http.client.HTTPConnection(address, timeout=ANSWER_WITHIN_S)

    def post(self, path, body, headers):
        self._http.request("POST", path, body, headers)
        answer = self._http.getresponse()
        return answer.status, answer.read()

    def ask(self, query):
        status, body = self.post(
            f"/api/v1/{query.path}",
            urllib.parse.urlencode(query.parameters),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )
        return read_answer(status, body.decode())


def read_answer(status, body):
    document = json.loads(body, parse_float=str, parse_int=str)
    annotations = (
        tuple(sorted(document.get("warnings", ()))),
        tuple(sorted(document.get("infos", ()))),
    )
    if document["status"] != "success":
        return Answer(
            status, "error", {}, [], (document["errorType"], document["error"]), annotations, body
        )
    kind, result = document["data"]["resultType"], document["data"]["result"]
    if kind in ("scalar", "string"):
        result = [{"metric": {}, "value": result}]
    series, order = {}, []
    for row in result:
        labels = tuple(sorted(row["metric"].items()))
        points = [*row.get("values", ()), *row.get("histograms", ())]
        points += [row[name] for name in ("value", "histogram") if name in row]
        if labels in series:
            annotations += (("the same labels twice", labels),)
        series[labels] = {time: freeze(value) for time, value in points}
        order.append(labels)
    return Answer(status, kind, series, order, (), annotations, body)


def freeze(value):
    if isinstance(value, str):
        return value
    return (value["count"], value["sum"], tuple(map(tuple, value.get("buckets", ()))))


def same_value(a, b, tolerance):
    if isinstance(a, tuple) != isinstance(b, tuple):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same_value(x, y, tolerance) for x, y in zip(a, b))
    if a == b:
        return True
    if not tolerance:
        return False
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    # Go's exp() overflows slightly below the largest number, its cosh() and sinh() at half of it.
    if math.isinf(x) and x * y > 0 and abs(y) > 0.85e308:
        return True
    return math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance)


NUMBER = re.compile(r"(?<![\w.:])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.:])")


def same_notes(a, b, tolerance):
    """Whether warnings and infos are equal. With a tolerance, numbers in them may differ slightly."""
    if a == b or not tolerance:
        return a == b
    texts, numbers = zip(
        *((NUMBER.sub("#", str(notes)), NUMBER.findall(str(notes))) for notes in (a, b))
    )
    return texts[0] == texts[1] and all(
        same_value(x, y, tolerance) for x, y in zip(*numbers)
    )


def same_order(query, reference, other):
    """Whether rows are in the same order where the order matters. Equal values may be in any order."""
    if reference.kind == "matrix":
        return reference.order == other.order
    if re.match(r"\(*\s*sort_by_label(_desc)?\b", query.text):
        # Prometheus' order of texts is undefined if one of them is empty.
        names = re.findall(r'"([^"]*)"', re.search(r'(, ?"[^"]*")*\)*$', query.text)[0])
        complete = all(name in dict(labels) for name in names for labels in reference.order)
        return reference.order == other.order or not complete
    if re.match(r"\(*\s*(sort|sort_desc)\b", query.text):
        values = [
            [list(answer.series[labels].values()) for labels in answer.order]
            for answer in (reference, other)
        ]
        return all(
            same_value(x, y, RELATIVE_TOLERANCE) for a, b in zip(*values) for x, y in zip(a, b)
        )
    return True


def difference(query, reference, other, tolerance=0):
    """Describes the first difference, or returns None. `tolerance` is relative."""
    if (reference.status, reference.kind) != (other.status, other.kind):
        return f"{reference.status} {reference.kind} against {other.status} {other.kind}"
    if reference.error != other.error:
        return "other errors"
    tolerance = tolerance or (RELATIVE_TOLERANCE if INEXACT.search(query.text) else 0)
    missing = [labels for labels in reference.series if labels not in other.series]
    extra = [labels for labels in other.series if labels not in reference.series]
    if missing or extra:
        return f"series missing: {missing[:2]}, extra: {extra[:2]}"
    for labels, points in reference.series.items():
        theirs = other.series[labels]
        if points.keys() != theirs.keys():
            alone = sorted(points.keys() ^ theirs.keys())[:3]
            return f"{labels}: times {alone} are in one of them only"
        for time, value in points.items():
            if not same_value(value, theirs[time], tolerance):
                return f"{labels} at {time}: {value} against {theirs[time]}"
    if not same_notes(reference.annotations, other.annotations, tolerance):
        return f"annotations {reference.annotations} against {other.annotations}"
    if not same_order(query, reference, other):
        return "another order"
    return None
