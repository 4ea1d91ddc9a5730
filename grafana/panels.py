"""Panels of Grafana dashboards, as the JSON that Grafana stores.

A panel is created without a position; dashboard() lays panels out in rows, left to right.
"""

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# A Grafana version that reads this schema or a newer one migrates it by itself.
SCHEMA_VERSION = 39
GRID_WIDTH = 24
ROW_HEIGHT = 1
PANEL_HEIGHT = 8


def query(expression, legend="", instant=False, name="A"):
    return {"datasource": DATASOURCE, "refId": name, "expr": expression, "legendFormat": legend or "__auto",
            "editorMode": "code", "range": not instant, "instant": instant,
            "format": "table" if instant and not legend else "time_series"}


def thresholds(*steps):
    """Green below the first step, then the given (value, colour) steps."""
    return {"mode": "absolute", "steps": [{"color": "green", "value": None}] +
            [{"color": color, "value": value} for value, color in steps]}


def panel(kind, title, means, queries, unit="", width=8, height=PANEL_HEIGHT, limits=(), low=None, high=None,
          custom=None, options=None, transformations=()):
    """`means` is the panel's description; queries are (expression, legend) or results of query()."""
    targets = [one if isinstance(one, dict) else query(*one) for one in queries]
    for index, target in enumerate(targets):
        target["refId"] = "ABCDEFGH"[index]
    defaults = {"unit": unit or "none", "thresholds": thresholds(*limits), "custom": custom or {}}
    if low is not None:
        defaults["min"] = low
    if high is not None:
        defaults["max"] = high
    return {"type": kind, "title": title, "description": means, "datasource": DATASOURCE, "targets": targets,
            "fieldConfig": {"defaults": defaults, "overrides": []}, "options": options or {},
            "transformations": list(transformations), "gridPos": {"w": width, "h": height}}


def lines(title, means, queries, unit="", **more):
    """Values over time."""
    limits = more.get("limits")
    custom = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 0, "showPoints": "never", "spanNulls": False,
              "thresholdsStyle": {"mode": "line" if limits else "off"}, **more.pop("custom", {})}
    return panel("timeseries", title, means, queries, unit, custom=custom, **more,
                 options={"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                          "tooltip": {"mode": "multi", "sort": "desc"}})


def stacked(title, means, queries, unit="", **more):
    """Values over time, stacked."""
    return lines(title, means, queries, unit, **more,
                 custom={"stacking": {"mode": "normal", "group": "A"}, "fillOpacity": 40})


def number(title, means, expression, unit="", width=4, **more):
    """One number: the latest value."""
    return panel("stat", title, means, [query(expression, legend=title, instant=True)], unit, width=width, height=4,
                 **more,
                 options={"colorMode": "value", "graphMode": "none", "justifyMode": "auto", "orientation": "auto",
                          "textMode": "value", "wideLayout": True, "showPercentChange": False,
                          "percentChangeColorMode": "standard",
                          "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}})


def bars(title, means, expression, legend, unit="", **more):
    """One number per series: the latest value."""
    return panel("bargauge", title, means, [query(expression, legend=legend, instant=True)], unit, **more,
                 options={"displayMode": "basic", "orientation": "horizontal", "showUnfilled": True,
                          "valueMode": "color", "namePlacement": "auto", "sizing": "auto", "minVizWidth": 8,
                          "minVizHeight": 16, "maxVizHeight": 300,
                          "legend": {"displayMode": "list", "placement": "bottom", "showLegend": False, "calcs": []},
                          "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}})


def history(title, means, expression, legend, unit="", **more):
    """A row of coloured cells per series."""
    return panel("status-history", title, means, [query(expression, legend=legend)], unit, **more,
                 custom={"fillOpacity": 80, "lineWidth": 0},
                 options={"showValue": "never", "rowHeight": 0.9, "colWidth": 0.9,
                          "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                          "tooltip": {"mode": "single", "sort": "none"}})


def by_step(title, means, step, queries, unit="", **more):
    """Values over the training step: the queries of the step and of the values are joined by time."""
    return panel("trend", title, means, [query(step, legend="step"), *queries], unit, **more,
                 custom={"drawStyle": "line", "lineWidth": 1, "fillOpacity": 0, "showPoints": "never"},
                 transformations=[{"id": "joinByField", "options": {"byField": "Time", "mode": "inner"}}],
                 options={"xField": "step",
                          "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
                          "tooltip": {"mode": "multi", "sort": "desc"}})


def chosen(name, label, expression, many=False):
    """A variable whose values are queried from the server."""
    return {"type": "query", "name": name, "label": label, "datasource": DATASOURCE,
            "query": {"query": expression, "refId": "variable"}, "refresh": 2, "sort": 3,
            "multi": many, "includeAll": many, "allValue": ".*" if many else None, "current": {}, "options": [],
            "regex": "", "hide": 0, "skipUrlSync": False}


def typed(name, label, value):
    """A variable with a text box."""
    option = {"text": value, "value": value, "selected": True}
    return {"type": "textbox", "name": name, "label": label, "query": value, "current": option, "options": [option],
            "hide": 0, "skipUrlSync": False}


SOURCE = {"type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus",
          "current": {}, "options": [], "regex": "", "refresh": 1, "multi": False, "includeAll": False, "hide": 0,
          "skipUrlSync": False}


def annotated(selector):
    """Marks of lockstep's annotations on all panels. Grafana draws a region where points are not further apart than
    a step, so each step has to find what began and ended since the one before."""
    return {"name": "Annotations", "datasource": DATASOURCE, "enable": True, "hide": False, "iconColor": "purple",
            "expr": f"max_over_time(lockstep_annotation{{{selector}}}[$__interval])", "step": "15s",
            "titleFormat": "{{kind}}", "textFormat": "{{text}}", "tagKeys": "job,kind,tags", "useValueForTime": False}


def place(rows):
    """Panels with ids and positions; `rows` are (title, panels)."""
    placed, top = [], 0
    for title, panels in rows:
        placed.append({"type": "row", "title": title, "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": top, "w": GRID_WIDTH, "h": ROW_HEIGHT}})
        top += ROW_HEIGHT
        left = height = 0
        for one in panels:
            width = one["gridPos"]["w"]
            if left + width > GRID_WIDTH:
                left, top, height = 0, top + height, 0
            placed.append({**one, "gridPos": {"x": left, "y": top, "w": width, "h": one["gridPos"]["h"]}})
            left, height = left + width, max(height, one["gridPos"]["h"])
        top += height
    return [{"id": index, **one} for index, one in enumerate(placed, start=1)]


def dashboard(uid, title, means, variables, rows, since="now-1h", refresh="30s", annotations=()):
    return {"uid": uid, "title": title, "description": means, "tags": ["lockstep"], "editable": True,
            "graphTooltip": 1, "schemaVersion": SCHEMA_VERSION, "version": 1, "refresh": refresh, "timezone": "utc",
            "time": {"from": since, "to": "now"}, "timepicker": {}, "fiscalYearStartMonth": 0,
            "templating": {"list": [SOURCE, *variables]}, "annotations": {"list": list(annotations)},
            "links": [{"type": "dashboards", "title": "lockstep", "tags": ["lockstep"], "asDropdown": True,
                       "includeVars": True, "keepTime": True, "icon": "external link", "targetBlank": False,
                       "tooltip": "", "url": ""}],
            "panels": place(rows)}
