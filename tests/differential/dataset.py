"""The data of a run, all derived from one seed: less than an hour, in the order of labels.

With at most an hour and one write in label order, Prometheus keeps everything in its head and
returns series in label order, as lockstep does, so both add up sums in the same order.

`METRICS` tells the grammar which labels a metric has and what its samples are.
"""

import math
import struct
from dataclasses import dataclass

import remote_write
from remote_write import Histogram

START_S = 1700000000
LENGTH_S = 3000
END_S = START_S + LENGTH_S

JOBS = ("api", "web")
INSTANCES = ("a:1", "b:2", "c:3")
RANKS = ("0", "1", "2", "10")
GPUS = ("0", "1")


@dataclass(frozen=True)
class Metric:
    """`kind`: counter, gauge, bucket (classic), histogram (native), custom (native, custom
    buckets), mixed (floats and histograms) or info.
    """

    name: str
    labels: tuple
    kind: str


METRICS = (
    Metric("requests_total", ("job", "instance", "code"), "counter"),
    Metric("errors_total", ("job", "instance"), "counter"),
    Metric("tokens_count", ("job", "rank"), "counter"),
    Metric("dup_one_total", ("job", "instance"), "counter"),
    Metric("dup_two_total", ("job", "instance"), "counter"),
    Metric("temperature", ("job", "instance", "gpu"), "gauge"),
    Metric("power_watts", ("instance", "gpu", "rank"), "gauge"),
    Metric("step_seconds", ("job", "rank"), "gauge"),
    Metric("loss", ("rank",), "gauge"),
    Metric("up", ("job", "instance"), "gauge"),
    Metric("constant", ("job", "instance"), "gauge"),
    Metric("extremes", ("kind",), "gauge"),
    Metric("sparse", ("instance",), "gauge"),
    Metric("churning", ("pod", "job"), "gauge"),
    Metric("http.requests", ("service.name", "job"), "counter"),
    Metric("température", ("job", "étage"), "gauge"),
    Metric("latency_seconds_bucket", ("job", "instance", "le"), "bucket"),
    Metric("latency_seconds_sum", ("job", "instance"), "counter"),
    Metric("latency_seconds_count", ("job", "instance"), "counter"),
    Metric("odd_bucket", ("shape", "le"), "bucket"),
    Metric("both_seconds_bucket", ("job", "le"), "bucket"),
    Metric("both_seconds", ("job",), "histogram"),
    Metric("rpc_seconds", ("job", "instance"), "histogram"),
    Metric("size_bytes", ("job", "rank"), "histogram"),
    Metric("wide_seconds", ("kind",), "histogram"),
    Metric("queue_seconds", ("job", "instance"), "custom"),
    Metric("mixed", ("instance", "job"), "mixed"),
    Metric("target_info", ("job", "instance", "version", "region"), "info"),
    Metric("build_info", ("job", "instance", "branch"), "info"),
)


def make(random):
    """[(labels, [(time in ms, float, marker or Histogram), ...]), ...] in the order of labels."""
    series = [
        *counters(random),
        *gauges(random),
        *classic_histograms(random),
        *native_histograms(random),
        *infos(random),
    ]
    return sorted(series, key=lambda one: sorted(one[0].items()))


def requests(series):
    """Remote-write bodies: the first run of every series in order, then the second run of those
    that have one... Prometheus stores the floats, histograms and float histograms of a request one
    after the other, so a request has only one kind of each series.
    """
    waiting = [(labels, runs(samples)) for labels, samples in series]
    number = 0
    while waiting:
        for first in range(0, len(waiting), 100):
            yield remote_write.body(
                [(labels, kept[number]) for labels, kept in waiting[first : first + 100]]
            )
        number += 1
        waiting = [one for one in waiting if len(one[1]) > number]


def runs(samples):
    """Splits the samples where their kind changes. Whether a staleness marker is a float or a
    histogram depends on the sample before it, which Prometheus only knows from earlier requests.
    """
    has_histograms = any(isinstance(value, Histogram) for _, value in samples)
    found = {}
    number = 0
    before = None
    for time_ms, value in samples:
        kind = (getattr(value, "floats", None), has_histograms and isinstance(value, bytes))
        number += before not in (None, kind)
        before = kind
        found.setdefault(number, []).append((time_ms, value))
    return list(found.values())


# --- times -------------------------------------------------------------------


def times(random, interval_s=None, jitter=False, begin=0.0, end=1.0):
    """Scrape times in ms, some missing or out of phase."""
    interval_ms = 1000 * (interval_s or random.choice((15, 15, 15, 30, 20)))
    phase_ms = random.choice((0, 0, 0, 137, 5000, 7400))
    found = []
    missing_until = 0
    for time_ms in range(
        int(LENGTH_S * 1000 * begin) + phase_ms, int(LENGTH_S * 1000 * end), interval_ms
    ):
        if jitter:
            time_ms += random.randrange(-400, 400)
        if random.random() < 0.01:
            missing_until = time_ms + random.choice((20, 90, 400, 700)) * 1000
        if time_ms >= max(0, missing_until):
            found.append(START_S * 1000 + time_ms)
    return found


def marker_like(value):
    """A staleness marker of the same kind as the values."""
    if isinstance(value, Histogram):
        return Histogram(sum=remote_write.STALE, floats=value.floats)
    return remote_write.STALE


def with_markers(random, samples):
    """Replaces a few samples by staleness markers."""
    return [
        (time_ms, marker_like(value) if random.random() < 0.01 else value)
        for time_ms, value in samples
    ]


def each(name, **values):
    """Label sets of all combinations of values."""
    sets = [{"__name__": name}]
    for label, choices in values.items():
        sets = [{**labels, label: choice} for labels in sets for choice in choices]
    return sets


# --- counters and gauges -----------------------------------------------------


def counter(random, at):
    whole = random.random() < 0.7
    speed = random.choice((0, 1, 10, 10, 1000))
    value = random.choice((0, 0, 5, 1e6)) if whole else random.random() * 100
    resets = random.choice((0, 0, 0.01, 0.03))
    samples = []
    for time_ms in at:
        if random.random() < resets:
            value = random.choice((0, value / 3 // 1 if whole else value / 3))
        value += random.randrange(0, speed + 1) if whole else random.expovariate(1) * speed
        samples.append((time_ms, float(value)))
    return with_markers(random, samples)


def counters(random):
    label_sets = [
        *each("requests_total", job=JOBS, instance=INSTANCES, code=("200", "500")),
        *each("errors_total", job=JOBS, instance=INSTANCES),
        *each("tokens_count", job=JOBS, rank=RANKS),
        *each("dup_one_total", job=JOBS, instance=INSTANCES[:2]),
        *each("dup_two_total", job=JOBS, instance=INSTANCES[1:]),
        *each("latency_seconds_sum", job=JOBS, instance=INSTANCES),
        *each("latency_seconds_count", job=JOBS, instance=INSTANCES),
        *(
            {**labels, "service.name": name}
            for name in ("cart", "größe")
            for labels in each("http.requests", job=JOBS)
        ),
    ]
    return [
        (labels, counter(random, times(random, jitter=random.random() < 0.3)))
        for labels in label_sets
    ]


def gauge(random, at):
    shape = random.choice(("noise", "noise", "walk", "steps", "constant", "sine"))
    base = random.choice((0, 1, 50, -20, 1e6))
    value = float(base)
    samples = []
    for i, time_ms in enumerate(at):
        if shape == "noise":
            value = base + random.gauss(0, 10)
        elif shape == "walk":
            value += random.gauss(0, 1)
        elif shape == "steps" and random.random() < 0.1:
            value = float(random.randrange(-5, 6))
        elif shape == "sine":
            value = base + 10 * math.sin(i / 7)
        samples.append((time_ms, value))
    return with_markers(random, samples)


EXTREMES = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "-0": -0.0,
    "0": 0.0,
    "huge": 1.7976931348623157e308,
    "large": 9.5e20,
    "tiny": 5e-324,
    "tenth": 0.1,
    "third": 1 / 3,
    "payload": struct.pack("<Q", 0x7FF8000000000123),
    "half": 2.5,
}


def gauges(random):
    label_sets = [
        *each("temperature", job=JOBS, instance=INSTANCES, gpu=GPUS),
        *each("power_watts", instance=INSTANCES[:2], gpu=GPUS, rank=RANKS[:2]),
        *each("step_seconds", job=JOBS, rank=RANKS),
        *({**labels, "étage": "α β"} for labels in each("température", job=JOBS)),
    ]
    series = [(labels, gauge(random, times(random))) for labels in label_sets]
    for labels in each("up", job=JOBS, instance=INSTANCES):
        series.append(
            (
                labels,
                with_markers(
                    random,
                    [(time_ms, float(random.random() < 0.9)) for time_ms in times(random, 15)],
                ),
            )
        )
    for labels, value in zip(
        each("constant", job=JOBS, instance=INSTANCES), (0, 1, -0.0, 42, 42, 0.5)
    ):
        series.append((labels, [(time_ms, float(value)) for time_ms in times(random, 15)]))
    for kind, value in EXTREMES.items():
        series.append(
            (
                {"__name__": "extremes", "kind": kind},
                [(time_ms, value) for time_ms in times(random, 30)],
            )
        )
    odd_values = (math.nan, math.inf, -math.inf, -0.0, 0.0, 1e300, 1.5, 2.5)
    for labels in each("loss", rank=RANKS):
        series.append(
            (
                labels,
                with_markers(
                    random,
                    [
                        (
                            time_ms,
                            (
                                random.choice(odd_values)
                                if random.random() < 0.2
                                else random.gauss(3, 1)
                            ),
                        )
                        for time_ms in times(random)
                    ],
                ),
            )
        )
    for labels in each("sparse", instance=INSTANCES):
        series.append((labels, [(time_ms, random.random()) for time_ms in times(random, 240)]))
    for number in range(6):
        begin = random.random() * 0.6
        at = times(random, begin=begin, end=begin + 0.1 + random.random() * 0.3)
        samples = gauge(random, at)
        if samples and random.random() < 0.5:
            samples[-1] = (samples[-1][0], remote_write.STALE)
        series.append(
            ({"__name__": "churning", "pod": f"p-{number}", "job": JOBS[number % 2]}, samples)
        )
    return [one for one in series if one[1]]


# --- classic histograms ------------------------------------------------------


def bucket_series(random, labels, bounds, at, faults=0.0):
    """One series per bound; with faults, some populations fall below that of the previous bucket."""
    totals = [0] * len(bounds)
    columns = [[] for _ in bounds]
    for time_ms in at:
        if random.random() < 0.01:
            totals = [0] * len(bounds)
        for _ in range(random.randrange(0, 12)):
            hit = random.randrange(len(bounds))
            totals = [total + (i >= hit) for i, total in enumerate(totals)]
        for column, total in zip(columns, totals):
            shown = total - (random.random() < faults) * random.choice((1e-9, 1, 3))
            column.append((time_ms, float(max(0, shown))))
    return [({**labels, "le": bound}, column) for bound, column in zip(bounds, columns)]


def classic_histograms(random):
    series = []
    for labels in each("latency_seconds_bucket", job=JOBS, instance=INSTANCES):
        series += bucket_series(
            random, labels, ("0.1", "0.5", "1", "2.5", "+Inf"), times(random, 15)
        )
    at = times(random, 15)
    for job in JOBS:
        labels = {"__name__": "both_seconds_bucket", "job": job}
        series += bucket_series(random, labels, ("0.1", "1", "10", "+Inf"), at)
    odd = {
        "negative": ("-10", "-1", "0", "5", "+Inf"),
        "no inf": ("0.1", "1", "10"),
        "one": ("+Inf",),
        "written twice": ("1", "1.0", "2", "+Inf"),
        "unreadable": ("0.5", "many", "+Inf"),
        "empty": ("0.5", "", "+Inf"),
        "faulty": ("0.1", "0.2", "0.4", "0.8", "+Inf"),
    }
    for shape, bounds in odd.items():
        labels = {"__name__": "odd_bucket", "shape": shape}
        series += bucket_series(
            random, labels, bounds, times(random, 15), 0.1 * (shape == "faulty")
        )
    return [
        ({name: value for name, value in labels.items() if value}, samples)
        for labels, samples in series
    ]


# --- native histograms -------------------------------------------------------


def observe(random, histogram, observations):
    """Adds observations to buckets around the middle, and roughly adapts the sum."""
    for _ in range(observations):
        index = int(random.gauss(1, 3))
        if histogram.schema == -53:
            index = min(max(0, index), len(histogram.custom_bounds))
        weight = random.choice((0.5, 1, 1.25)) if histogram.floats else 1
        where = random.random()
        if histogram.schema != -53 and (where < 0.1 or is_zero(histogram, index)):
            histogram.zero_count += weight
        elif histogram.schema != -53 and where < 0.2 and histogram.gauge:
            histogram.negative[index] = histogram.negative.get(index, 0) + weight
            histogram.sum -= weight * 1.1
        else:
            histogram.positive[index] = histogram.positive.get(index, 0) + weight
            histogram.sum += weight * (0.3 + random.random())
        histogram.count += weight


def is_zero(histogram, index):
    """Whether the bucket overlaps the zero bucket."""
    return 2 ** ((index - 1) * 2**-histogram.schema) < histogram.zero_threshold


def snapshot(histogram):
    return Histogram(
        **{
            **vars(histogram),
            "positive": dict(histogram.positive),
            "negative": dict(histogram.negative),
        }
    )


def native(random, at, change=0.0, **shape):
    """A series of growing histograms. With `change`, its layout changes occasionally."""

    resets = 0

    def fresh():
        nonlocal resets
        resets += 1
        histogram = Histogram(**shape)
        # Never near zero, so that the extrapolation of a rate to the left does not depend on the
        # count, and each side of zero always has buckets or never.
        # The count of a gauge falls, because nothing else distinguishes it for functions that read
        # only counts.
        observe(random, histogram, max(100, 900 - 100 * resets) if histogram.gauge else 400)
        return histogram

    current = fresh()
    samples = []
    for time_ms in at:
        if random.random() < 0.015:
            current = fresh()
        if random.random() < change:
            if shape.get("schema") == -53:
                shape["custom_bounds"] = random.choice(CUSTOM_BOUNDS)
            else:
                shape["schema"] = random.choice((-1, 0, 1, 2))
                shape["zero_threshold"] = random.choice((0.0, 0.001, 0.01, 1.0))
            current = fresh()
        observe(random, current, random.randrange(1, 6))
        samples.append((time_ms, snapshot(current)))
    return with_markers(random, samples)


CUSTOM_BOUNDS = ((0.1, 0.5, 1.0, 2.5), (0.5, 1.0), (-1.0, 0.0, 1.0, 5.0), (1.0,))


def native_histograms(random):
    series = []
    for i, labels in enumerate(each("rpc_seconds", job=JOBS, instance=INSTANCES)):
        series.append(
            (
                labels,
                native(random, times(random), 0.01 * (i % 2), schema=i % 3, zero_threshold=0.001),
            )
        )
    for i, labels in enumerate(each("size_bytes", job=JOBS, rank=RANKS)):
        series.append(
            (
                labels,
                native(
                    random,
                    times(random),
                    0.02,
                    schema=i % 3 - 1,
                    gauge=True,
                    zero_threshold=0.01,
                    floats=i % 2 == 0,
                ),
            )
        )
    for labels in each("both_seconds", job=JOBS):
        series.append((labels, native(random, times(random, 15), schema=1, zero_threshold=1e-6)))
    for i, labels in enumerate(each("queue_seconds", job=JOBS, instance=INSTANCES)):
        series.append(
            (
                labels,
                native(
                    random,
                    times(random),
                    0.02 * (i == 1),
                    schema=-53,
                    custom_bounds=CUSTOM_BOUNDS[i in (1, 5)],
                    floats=i % 2 == 1,
                    gauge=i == 4,
                ),
            )
        )
    wide = {"kind": "wide"}
    series.append(({"__name__": "wide_seconds", **wide}, native(random, times(random), schema=-4)))
    series.append(
        ({"__name__": "wide_seconds", "kind": "fine"}, native(random, times(random), schema=8))
    )
    series.append(
        (
            {"__name__": "wide_seconds", "kind": "empty"},
            [(time_ms, Histogram()) for time_ms in times(random)],
        )
    )
    series.append(
        (
            {"__name__": "wide_seconds", "kind": "nan"},
            [
                (time_ms, Histogram(sum=math.nan, count=i + 903, positive={0: i + 900, 3: 1}))
                for i, time_ms in enumerate(times(random))
            ],
        )
    )
    for i, labels in enumerate(each("mixed", instance=INSTANCES, job=JOBS[:1])):
        at = times(random)
        floats = gauge(random, at)
        histograms = native(random, at, schema=0, gauge=i == 2)
        kind = 0
        samples = []
        for j in range(len(at)):
            kind = 1 - kind if random.random() < 0.05 else kind
            samples.append((floats, histograms)[kind][j])
        series.append((labels, samples))
    return series


# --- info metrics ------------------------------------------------------------


def infos(random):
    series = []
    for labels in each("target_info", job=JOBS, instance=INSTANCES):
        more = {"version": random.choice(("1.0", "1.1")), "region": random.choice(("eu", "us"))}
        if random.random() < 0.3:
            del more["region"]
        middle = random.random()
        series.append(({**labels, **more}, [(t, 1.0) for t in times(random, 15, end=middle)]))
        more["version"] = "2.0"
        series.append(({**labels, **more}, [(t, 1.0) for t in times(random, 15, begin=middle)]))
    for labels in each("build_info", job=JOBS[:1], instance=INSTANCES):
        series.append(
            (
                {**labels, "branch": random.choice(("main", "fix"))},
                [(t, 1.0) for t in times(random, 15)],
            )
        )
    return [one for one in series if one[1]]
