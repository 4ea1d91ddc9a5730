"""A few minutes of the recorded H200 run of demo/data, as samples."""

import gzip
import pathlib
import re

PATH = pathlib.Path(__file__).resolve().parent.parent.parent / "demo/data/metrics.om.gz"
SAMPLE = re.compile(r"([A-Za-z_:][\w:]*)\{(.*)\} (\S+) (\d+)\.(\d{3})")
LABEL = re.compile(r'(\w+)="([^"\\]*)"')


def read(begin_s, end_s):
    """{labels: [(time in ms, value), ...]} of begin_s <= time < end_s; labels are tuples of pairs,
    __name__ first.
    """
    series = {}
    with gzip.open(PATH, "rt") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            name, labels, value, seconds, milliseconds = SAMPLE.fullmatch(line.rstrip("\n")).groups()
            if not begin_s <= int(seconds) < end_s:
                continue
            key = (("__name__", name), *LABEL.findall(labels))
            series.setdefault(key, []).append((int(seconds) * 1000 + int(milliseconds), float(value)))
    return series


def openmetrics(series):
    """The samples as an exposition, grouped by metric."""
    lines = []
    before = None
    for labels, samples in sorted(series.items()):
        name = labels[0][1]
        if name != before:
            lines.append(f"# TYPE {name} unknown")
            before = name
        told = ",".join(f'{label}="{value}"' for label, value in labels[1:])
        lines += [f"{name}{{{told}}} {value!r} {time_ms // 1000}.{time_ms % 1000:03}"
                  for time_ms, value in samples]
    return "\n".join(lines + ["# EOF", ""])
