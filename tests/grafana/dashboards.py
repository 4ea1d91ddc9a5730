"""The dashboards of grafana/: panels with their queries, and variables replaced as Grafana does."""

import json
import pathlib
import re
from typing import NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "grafana"
VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def load():
    """{name: dashboard}"""
    return {path.stem: json.loads(path.read_text()) for path in sorted((FOLDER / "dashboards").glob("*.json"))}


class Asked(NamedTuple):
    """A query of a panel."""

    dashboard: str
    panel: str
    expression: str
    is_instant: bool
    legend: str


def queries(name, dashboard):
    return [Asked(name, panel["title"], target["expr"], target["instant"], target["legendFormat"])
            for panel in dashboard["panels"] if panel["type"] != "row" for target in panel["targets"]]


def put_in(expression, values):
    """The expression with its variables replaced; an unknown one is a KeyError."""
    return VARIABLE.sub(lambda match: values[match[1] or match[2]], expression)


def variables(dashboard):
    return {one["name"]: one for one in dashboard["templating"]["list"]}
