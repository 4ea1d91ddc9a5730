"""Random PromQL over the metrics of `dataset`, typed so that most of it means something.

Weights are relative. Whatever the reference does not have (`Language`) is left out.
"""

import re
from dataclasses import dataclass

import answers
import dataset
import odd_queries
from tree import DURATION, MATRIX, OPTIONAL, SCALAR, STRING, VECTOR, node

MATH = (
    "abs ceil floor exp sqrt ln log2 log10 sgn sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh deg rad round"
).split()
RATES = "rate increase delta irate idelta resets changes deriv".split()
OVER_TIME = (
    "avg min max sum count stddev stdvar last first present mad ts_of_min ts_of_max ts_of_last "
    "ts_of_first"
).split()
CALENDAR = "minute hour day_of_week day_of_month day_of_year days_in_month month year".split()
ARITHMETIC = ("+", "-", "*", "/", "%", "^", "atan2")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
SETS = ("and", "or", "unless")
AGGREGATIONS = "sum avg count min max group stddev stdvar".split()
HISTOGRAM_PARTS = "count sum avg stddev stdvar".split()
HISTOGRAM_RANGES = (
    "rate increase delta irate idelta last_over_time sum_over_time avg_over_time".split()
)
NUMBERS = (
    "0 1 2 3 0.5 -1 10 100 1e3 -0.5 NaN Inf -Inf 0x1F 5m 1_000 017 .5 5. 1e-3 1e300 0.9 2.5 +3 "
    "1700000000 9007199254740993 0.1"
).split()
HISTOGRAM_KINDS = ("histogram", "custom")
FLOAT_KINDS = ("counter", "gauge", "info")

# What older servers may lack, with a query that only one that has it can parse.
FUNCTION_CALLS = {
    **{
        name: f"{name}(a)"
        for name in (
            *MATH,
            *CALENDAR,
            "timestamp",
            "sort",
            "sort_desc",
            "info",
            "absent",
            "start_timestamp",
        )
    },
    **{
        name: f"{name}(a[1m])"
        for name in (*RATES, "absent_over_time", *(f"{name}_over_time" for name in OVER_TIME))
    },
    **{f"histogram_{name}": f"histogram_{name}(a)" for name in HISTOGRAM_PARTS},
    **{name: f'{name}(a, "b")' for name in ("sort_by_label", "sort_by_label_desc")},
    **{name: f"{name}()" for name in ("start", "end", "step", "range", "pi", "time")},
    "max_of": "max_of(1, 2)",
    "min_of": "min_of(1, 2)",
    "double_exponential_smoothing": "double_exponential_smoothing(a[1m], 0.5, 0.5)",
    "histogram_quantiles": 'histogram_quantiles(a, "q", 0.5)',
}
SYNTAX = {
    "limitk": "limitk(1, a)",
    "limit_ratio": "limit_ratio(0.5, a)",
    "fill": "a + fill(1) b",
    "anchored": "rate(a[1m] anchored)",
    "smoothed": "rate(a[1m] smoothed)",
    "trim": "a </ 1",
    "duration arithmetic": "a[1m + 1m]",
    "duration step()": "a[step()]",
    "duration range()": "a[range()]",
    "duration min_of()": "a[min_of(1m, 2m)]",
}
# What older servers answer otherwise, with a query and what only they answer to it.
BEHAVIOUR = {
    "info": ('info(floor(label_replace(vector(1), "__name__", "x", "", "")))', '"__name__"'),
    "fractions of classic histograms": (
        'histogram_fraction(0.1, 1, label_replace(vector(1), "le", "2", "", "") or'
        ' label_replace(vector(2), "le", "+Inf", "", ""))',
        '"NaN"',
    ),
}


@dataclass(frozen=True)
class Query:
    """An instant query when `start` is None; times are as the API takes them."""

    tree: object
    end: str
    start: str = None
    step: str = None

    @property
    def text(self):
        return str(self.tree)

    @property
    def path(self):
        return "query" if self.start is None else "query_range"

    @property
    def parameters(self):
        if self.start is None:
            return {"query": self.text, "time": self.end}
        return {"query": self.text, "start": self.start, "end": self.end, "step": self.step}


class Grammar:
    """Makes queries from a seeded `random`. `lacking` names what the language is to do without."""

    def __init__(self, random, lacking):
        self.random = random
        self.lacking = lacking

    def has(self, *names):
        return [name for name in names if name not in self.lacking]

    def one(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def weighted(self, *choices):
        """The result of one of (weight, function, arguments...)."""
        chosen = self.random.choices(choices, [choice[0] for choice in choices])[0]
        return chosen[1](*chosen[2:])

    def exact(self, make, *arguments):
        """Of what `make` makes something without rounding of its own, for values that become labels."""
        for _ in range(20):
            made = make(*arguments)
            if not answers.INEXACT.search(str(made)) and not re.search(r"\b(sum|avg)", str(made)):
                return made
        return self.selector("counter")

    # --- queries -------------------------------------------------------------

    def query(self):
        ranged = self.chance(0.45)
        depth = self.random.choices((0, 1, 2, 3, 4, 5), (1, 5, 7, 6, 3, 2))[0]
        tree = self.weighted(
            (85, self.vector, depth),
            (7, self.scalar, depth),
            (0.5 if ranged else 6, self.matrix, depth),
            (0.3, self.text),
            (8, lambda: odd_queries.make(self, depth)),
        )
        return self.timed(tree, ranged)

    def timed(self, tree, ranged):
        end_ms = (dataset.START_S + self.random.randrange(60, dataset.LENGTH_S + 200)) * 1000
        if self.chance(0.5):
            end_ms = end_ms // 15000 * 15000
        if self.chance(0.3):
            end_ms += self.random.randrange(1000)
        if not ranged:
            return Query(tree, in_seconds(end_ms))
        step_ms = self.one(15000, 15000, 30000, 60000, 60000, 7500, 37000, 120000, 300000, 1001)
        steps = self.one(0, 1, 2, 3, 5, 10, 20)
        start_ms = end_ms - steps * step_ms - self.one(0, 0, 0, 1, step_ms // 2)
        return Query(tree, in_seconds(end_ms), in_seconds(start_ms), in_seconds(step_ms))

    # --- selectors -----------------------------------------------------------

    def metric(self, *kinds, labels=()):
        fitting = [
            metric
            for metric in dataset.METRICS
            if (not kinds or metric.kind in kinds) and set(labels) <= set(metric.labels)
        ]
        return self.random.choice(fitting)

    def matcher(self, label):
        value = {
            "job": dataset.JOBS,
            "instance": dataset.INSTANCES,
            "rank": dataset.RANKS,
            "gpu": dataset.GPUS,
            "le": ("0.1", "+Inf", "1"),
            "kind": tuple(dataset.EXTREMES) + ("wide", "fine"),
        }.get(label, ("200", "x", "main"))
        value = self.random.choice(value)
        return quoted_label(label) + self.one(
            f'="{value}"',
            f'="{value}"',
            f"='{value}'",
            f'!="{value}"',
            f'=~"{value}|x"',
            '=~".+"',
            '=~".*"',
            f'!~"{value[:1]}.*"',
            '!=""',
            '=""',
            f'=~"(?i){value.upper()}"',
            f"=~`.*{value[-1:]}.*`",
        )

    def braces(self, metric):
        if self.chance(0.6):
            return ""
        labels = self.random.sample(metric.labels, self.one(1, 1, min(2, len(metric.labels))))
        if self.chance(0.05):
            labels.append("none")
        return ",".join(map(self.matcher, labels))

    def selector_text(self, metric):
        if self.chance(0.03):
            return node(
                VECTOR,
                self.one(
                    '{__name__=~"dup_.*_total"}',
                    '{__name__=~".*_info"}',
                    '{job="api"}',
                    '{__name__=~"rpc_seconds|queue_seconds"}',
                    '{instance="a:1"}',
                    '{__name__!~".*_bucket",job="web"}',
                    "nothing",
                    '{"up"}',
                    'nothing{job="x",instance=~"y"}',
                ),
            )
        braces = node(OPTIONAL, "{", self.braces(metric), "}")
        if not plain(metric.name):
            return node(VECTOR, f'{{"{metric.name}"', node(OPTIONAL, ",", self.braces(metric)), "}")
        return node(
            VECTOR, metric.name, braces if len(str(braces)) > 2 or self.chance(0.05) else ""
        )

    def modifiers(self, depth):
        found = []
        if self.chance(0.15):
            found.append(node(OPTIONAL, " offset ", self.offset(depth)))
        if self.chance(0.1):
            when = dataset.START_S + self.random.randrange(dataset.LENGTH_S)
            found.append(
                node(
                    OPTIONAL,
                    " @ ",
                    self.one("start()", "end()", f"{when}", f"{when}.5", f"{when}.123"),
                )
            )
        self.random.shuffle(found)
        return node(OPTIONAL, *found) if found else ""

    def selector(self, *kinds, labels=()):
        smoothed = node(OPTIONAL, " smoothed") if self.has("smoothed") and self.chance(0.03) else ""
        return node(
            VECTOR,
            self.selector_text(self.metric(*kinds, labels=labels)),
            smoothed,
            self.modifiers(1),
        )

    # --- durations -----------------------------------------------------------

    def duration_literal(self):
        return node(
            DURATION,
            self.one(
                "1m",
                "2m",
                "5m",
                "5m",
                "5m",
                "5m",
                "90s",
                "30s",
                "10m",
                "10m",
                "1h",
                "1m30s",
                *("300", "14s999ms", "1ms", "0.5", "60.0", "1e2", "0x3c", "1_000")[
                    :: self.one(1, 8)
                ],
            ),
        )

    def duration(self, depth):
        if depth <= 0 or "duration arithmetic" in self.lacking or self.chance(0.85):
            return self.duration_literal()
        names = [call for call in ("step()", "range()") if f"duration {call}" not in self.lacking]
        return self.weighted(
            (
                4,
                lambda: node(
                    DURATION,
                    self.duration(depth - 1),
                    self.one(" + ", " - ", " * ", "/", "%"),
                    self.duration(depth - 1),
                ),
            ),
            (2, lambda: node(DURATION, "(", self.duration(depth - 1), ")")),
            (1, lambda: node(DURATION, self.duration(depth - 1), " * ", self.one("2", "0.5", "3"))),
            (1, lambda: node(DURATION, "-(", self.duration(depth - 1), ")")),
            *((1, lambda: node(DURATION, self.random.choice(names))) for _ in names[:1]),
            *(
                (
                    1,
                    lambda: node(
                        DURATION,
                        self.one("min_of(", "max_of("),
                        self.duration(depth - 1),
                        ", ",
                        self.duration(depth - 1),
                        ")",
                    ),
                )
                for _ in self.has("duration min_of()")
            ),
        )

    def offset(self, depth):
        if self.chance(0.85):
            return node(DURATION, self.one("", "", "-"), self.duration_literal())
        return (
            node(DURATION, "(", self.duration(depth), ")")
            if "duration arithmetic" not in self.lacking
            else self.duration_literal()
        )

    # --- range vectors -------------------------------------------------------

    def matrix(self, depth, *kinds):
        if depth <= 1 or self.chance(0.75):
            extended = ""
            if self.chance(0.05):
                extended = node(
                    OPTIONAL,
                    "".join(f" {name}" for name in self.has(self.one("anchored", "smoothed"))),
                )
            return node(
                MATRIX,
                self.selector_text(self.metric(*kinds)),
                "[",
                self.duration(1),
                "]",
                extended,
                self.modifiers(1),
            )
        step = (
            node(OPTIONAL, self.one("30s", "1m", "15s", "7s", "2m", "45"))
            if self.chance(0.7)
            else ""
        )
        is_native = kinds and kinds[0] in HISTOGRAM_KINDS
        inner = self.histograms(0) if is_native else self.vector(depth - 2)
        return node(
            MATRIX, self.paren(inner, 0.5), "[", self.duration(1), ":", step, "]", self.modifiers(1)
        )

    # --- scalars -------------------------------------------------------------

    def number(self):
        return node(
            SCALAR,
            self.one(*NUMBERS),
        )

    def quantile(self):
        return node(
            SCALAR,
            self.one(*"0.5 0.9 0.99 0 1 0.25 0.333 -1 1.5 NaN Inf -0 1e-9 0.5 0.75".split()),
        )

    def scalar(self, depth):
        if depth <= 0:
            return self.number()
        calls = self.has("start", "end", "step", "range")
        deeper = depth - 1
        return self.weighted(
            (6, self.number),
            (2, lambda: node(SCALAR, self.one("time()", "pi()", "time()"))),
            (5, lambda: node(SCALAR, "scalar(", self.vector(deeper), ")")),
            (
                5,
                lambda: node(
                    SCALAR,
                    self.paren(self.scalar(deeper)),
                    f" {self.one(*ARITHMETIC)} ",
                    self.paren(self.scalar(deeper)),
                ),
            ),
            (
                2,
                lambda: node(
                    SCALAR,
                    self.paren(self.scalar(deeper)),
                    f" {self.one(*COMPARISONS)} bool ",
                    self.paren(self.scalar(deeper)),
                ),
            ),
            (1, lambda: node(SCALAR, "-", self.paren(self.scalar(deeper)))),
            (1, lambda: node(SCALAR, "(", self.scalar(deeper), ")")),
            *((1, lambda: node(SCALAR, f"{self.random.choice(calls)}()")) for _ in calls[:1]),
            *(
                (
                    1,
                    lambda: node(
                        SCALAR,
                        self.one("max_of(", "min_of("),
                        self.scalar(deeper),
                        ", ",
                        self.scalar(deeper),
                        ")",
                    ),
                )
                for _ in self.has("max_of")
            ),
        )

    def text(self):
        return node(
            STRING, self.one('"text"', "'it''s'", "`raw \\n`", r'"\u00e9\x41\101"', '"<&>"', '""')
        )

    def paren(self, inner, share=0.6):
        return (
            node(inner.type, "(", inner, ")")
            if len(inner.parts) > 1 and self.chance(share)
            else inner
        )

    # --- instant vectors -----------------------------------------------------

    def vector(self, depth):
        if depth <= 0:
            return self.weighted(
                (8, self.selector, *FLOAT_KINDS),
                (1, self.selector, "bucket"),
                (2, self.selector, *HISTOGRAM_KINDS),
                (1, self.selector, "mixed"),
            )
        deeper = depth - 1
        return self.weighted(
            (4, self.vector, 0),
            (8, self.math, deeper),
            (22, self.over_range, depth),
            (20, self.aggregation, deeper),
            (7, self.with_scalar, deeper),
            (14, self.with_vector, deeper),
            (5, self.set_operation, deeper),
            (9, self.histogram_function, deeper),
            (5, self.histograms, depth),
            (2, self.calendar, deeper),
            (4, self.labels_function, deeper),
            (2, self.absence, deeper),
            (2, self.sorted, deeper),
            (3 * len(self.has("info")), self.info, deeper),
            (
                2,
                lambda: node(VECTOR, self.one("-", "+", "-"), self.paren(self.vector(deeper), 0.9)),
            ),
            (2, lambda: node(VECTOR, "(", self.vector(deeper), ")")),
            (2, lambda: node(VECTOR, "vector(", self.scalar(deeper), ")")),
        )

    def math(self, depth):
        inner = self.vector(depth)
        return self.weighted(
            (8, lambda: node(VECTOR, f"{self.one(*MATH)}(", inner, ")")),
            (1, lambda: node(VECTOR, "round(", inner, ", ", self.scalar(depth - 1), ")")),
            (
                1,
                lambda: node(
                    VECTOR,
                    "clamp(",
                    inner,
                    ", ",
                    self.scalar(depth - 1),
                    ", ",
                    self.scalar(depth - 1),
                    ")",
                ),
            ),
            (
                1,
                lambda: node(
                    VECTOR,
                    self.one("clamp_min(", "clamp_max("),
                    inner,
                    ", ",
                    self.scalar(depth - 1),
                    ")",
                ),
            ),
        )

    def over_range(self, depth):
        kinds = self.weighted(
            (6, lambda: ("counter",)),
            (6, lambda: ("gauge",)),
            (2, lambda: HISTOGRAM_KINDS),
            (1, lambda: ("mixed",)),
            (1, lambda: ("bucket",)),
        )
        matrix = self.matrix(depth, *kinds)
        rates, over_time = self.has(*RATES), self.has(*(f"{name}_over_time" for name in OVER_TIME))
        smoothing = self.has("double_exponential_smoothing")
        return self.weighted(
            (8, lambda: node(VECTOR, f"{self.random.choice(rates)}(", matrix, ")")),
            (3, lambda: node(VECTOR, self.one("rate(", "increase("), matrix, ")")),
            (10, lambda: node(VECTOR, f"{self.random.choice(over_time)}(", matrix, ")")),
            (
                2,
                lambda: node(
                    VECTOR, "quantile_over_time(", self.quantile_of(depth), ", ", matrix, ")"
                ),
            ),
            (2, lambda: node(VECTOR, "predict_linear(", matrix, ", ", self.scalar(depth - 2), ")")),
            (
                len(smoothing),
                lambda: node(
                    VECTOR,
                    "double_exponential_smoothing(",
                    matrix,
                    self.one(", 0.5, 0.5)", ", 0.1, 0.9)", ", 0.3, 1)", ", 0, 0.1)"),
                ),
            ),
        )

    def quantile_of(self, depth):
        return self.quantile() if self.chance(0.85) else self.scalar(depth - 1)

    # --- aggregations --------------------------------------------------------

    def grouping(self):
        if self.chance(0.3):
            return ""
        labels = self.random.sample(
            ("job", "instance", "rank", "gpu", "le", "kind", "code", "none", "__name__"),
            self.one(0, 1, 1, 1, 2),
        )
        if self.chance(0.03):
            labels.append('"service.name"')
        return node(
            OPTIONAL,
            self.one(" by (", " by (", " without (", " without ("),
            ", ".join(labels),
            self.one("", "", "", ",") if labels else "",
            ") ",
        )

    def aggregation(self, depth):
        selecting = ("topk", "bottomk", *self.has("limitk"))
        return self.weighted(
            (10, lambda: self.aggregate(self.one(*AGGREGATIONS), "", self.vector(depth))),
            (2, lambda: self.aggregate("quantile", self.quantile_of(depth), self.vector(depth))),
            (
                3,
                lambda: self.aggregate(
                    self.one(*selecting), self.amount(depth), self.vector(depth)
                ),
            ),
            (
                1,
                lambda: self.aggregate(
                    "count_values",
                    node(STRING, self.one('"value"', '"job"', "'été'", '"__name__"')),
                    self.exact(self.vector, depth),
                ),
            ),
            (
                len(self.has("limit_ratio")),
                lambda: self.aggregate(
                    "limit_ratio",
                    node(SCALAR, self.one("0.5", "-0.5", "0.1", "1", "-1", "0", "1.1", "-0.3")),
                    self.vector(depth),
                ),
            ),
        )

    def amount(self, depth):
        return (
            node(SCALAR, self.one("1", "2", "3", "2.9", "0", "-1", "100"))
            if self.chance(0.9)
            else self.scalar(depth - 1)
        )

    def aggregate(self, name, parameter, inner):
        grouping = self.grouping()
        arguments = ("(", parameter, ", ", inner, ")") if parameter else ("(", inner, ")")
        if self.chance(0.5):
            return node(VECTOR, name, grouping, *arguments)
        return node(VECTOR, name, *arguments, grouping)

    # --- binary operators ----------------------------------------------------

    def with_scalar(self, depth):
        inner = self.paren(self.vector(depth))
        other = self.paren(self.scalar(depth - 1))
        operator = self.one(
            *(ARITHMETIC * 2), *COMPARISONS, *(f"{name} bool" for name in COMPARISONS[::2])
        )
        if self.has("trim") and self.chance(0.1):
            operator = self.one("</", ">/")
        sides = (
            (inner, f" {operator} ", other)
            if self.chance(0.65)
            else (other, f" {operator} ", inner)
        )
        return node(VECTOR, *sides)

    def keyed(self, depth, labels):
        """A vector with exactly these labels."""
        metric = self.metric("counter", "gauge", labels=labels)
        inner = self.selector_text(metric)
        if metric.kind == "counter" and self.chance(0.7):
            inner = node(
                VECTOR,
                self.one("rate(", "increase(", "resets("),
                node(MATRIX, inner, "[", self.duration(1), "]"),
                ")",
            )
        elif self.chance(0.3):
            inner = node(VECTOR, f"{self.one(*MATH)}(", inner, ")")
        if set(metric.labels) == set(labels) and self.chance(0.7):
            return inner
        if depth > 1 and self.chance(0.3):
            inner = self.vector(depth - 1)
        return node(
            VECTOR,
            self.one("sum", "max", "avg", "count"),
            f" by ({', '.join(map(quoted_label, labels))}) (",
            inner,
            ")",
        )

    def with_vector(self, depth):
        operator = self.one(
            *(ARITHMETIC * 2), *COMPARISONS, *(f"{name} bool" for name in COMPARISONS[::2])
        )
        if self.chance(0.15):
            return node(
                VECTOR,
                self.paren(self.vector(depth)),
                f" {operator} ",
                self.matching(),
                self.paren(self.vector(depth)),
            )
        labels = self.one(
            ("job",),
            ("job", "instance"),
            ("job", "rank"),
            ("instance",),
            ("rank",),
            ("job", "instance"),
        )
        fill = self.fill()
        if self.chance(0.5):
            how = self.one(
                "",
                "",
                f"on ({', '.join(labels)}) ",
                "ignoring (gpu) ",
                "ignoring () ",
                f"on ({labels[0]}) ",
            )
            return node(
                VECTOR,
                self.paren(self.keyed(depth, labels)),
                f" {operator} ",
                how,
                fill,
                self.paren(self.keyed(depth, labels)),
            )
        more = {"job": "instance", "instance": "gpu", "rank": "job"}[labels[-1]]
        include = self.one("", "", f"({more})", "(region)", "()", "(branch, version)")
        one = self.keyed(depth, labels)
        if labels == ("job", "instance") and self.chance(0.3):
            one = node(VECTOR, self.one("target_info", "build_info"))
        if self.chance(0.5):
            return node(
                VECTOR,
                self.paren(self.keyed(depth, (*labels, more))),
                f" {operator} on ({', '.join(labels)}) ",
                f"group_left {include} ",
                fill,
                self.paren(one),
            )
        return node(
            VECTOR,
            self.paren(one),
            f" {operator} ignoring ({more}) ",
            f"group_right {include} ",
            fill,
            self.paren(self.keyed(depth, (*labels, more))),
        )

    def fill(self):
        if not self.has("fill") or self.chance(0.7):
            return ""
        return node(
            OPTIONAL,
            self.one(
                "fill (0) ", "fill_left (1) ", "fill_right (-1) ", "fill_left(2) fill_right(NaN) "
            ),
        )

    def matching(self):
        return self.one(
            "",
            "",
            "on (job) ",
            "ignoring (job) ",
            "on () ",
            "ignoring (le) group_left ",
            "on (job, instance) ",
            "on (__name__) ",
            "on (job) group_right (instance) ",
            "ignoring (instance) group_left (version) ",
        )

    def set_operation(self, depth):
        how = self.one(
            "",
            "",
            "on (job) ",
            "on (job, instance) ",
            "ignoring (instance) ",
            "on () ",
            "ignoring (gpu, code) ",
        )
        other = (
            self.paren(self.vector(depth))
            if self.chance(0.8)
            else node(VECTOR, "vector(", self.scalar(1), ")")
        )
        return node(VECTOR, self.paren(self.vector(depth)), f" {self.one(*SETS)} ", how, other)

    # --- histograms ----------------------------------------------------------

    def histograms(self, depth):
        """A vector of native histograms."""
        if depth <= 0:
            return self.selector(*HISTOGRAM_KINDS)
        deeper = depth - 1
        return self.weighted(
            (3, self.selector, *HISTOGRAM_KINDS),
            (1, self.selector, "mixed"),
            (
                6,
                lambda: node(
                    VECTOR,
                    self.one(*(f"{name}(" for name in HISTOGRAM_RANGES)),
                    self.matrix(depth, *HISTOGRAM_KINDS),
                    ")",
                ),
            ),
            (
                5,
                lambda: self.aggregate(
                    self.one("sum", "avg", "sum", "avg", "count", "group"),
                    "",
                    self.histograms(deeper),
                ),
            ),
            (1, lambda: self.aggregate(self.one("min", "stddev"), "", self.histograms(deeper))),
            (
                1,
                lambda: self.aggregate(
                    self.one("topk", "quantile", *self.has("limitk")),
                    self.amount(deeper),
                    self.histograms(deeper),
                ),
            ),
            (
                1,
                lambda: self.aggregate(
                    "count_values", node(STRING, '"h"'), self.exact(self.histograms, deeper)
                ),
            ),
            (
                3,
                lambda: node(
                    VECTOR,
                    self.paren(self.histograms(deeper)),
                    self.one(" * ", " / "),
                    self.number(),
                ),
            ),
            (
                1,
                lambda: node(
                    VECTOR,
                    self.number(),
                    self.one(" * ", " / ", " + "),
                    self.paren(self.histograms(deeper)),
                ),
            ),
            (
                3,
                lambda: node(
                    VECTOR,
                    self.paren(self.histograms(deeper)),
                    self.one(" + ", " - ", " == ", " != ", " * "),
                    self.one("", "", "on (job) ", "ignoring (instance) "),
                    self.paren(self.histograms(deeper)),
                ),
            ),
            (1, lambda: node(VECTOR, "-", self.paren(self.histograms(deeper), 1))),
            (
                1,
                lambda: node(
                    VECTOR,
                    "label_replace(",
                    self.histograms(deeper),
                    ', "new", "$1", "job", "(.*)")',
                ),
            ),
            *(
                (
                    2,
                    lambda: node(
                        VECTOR,
                        self.paren(self.histograms(deeper)),
                        self.one(" </ ", " >/ "),
                        self.number(),
                    ),
                )
                for _ in self.has("trim")
            ),
        )

    def buckets(self, depth):
        """Something with histograms in it, classic or native."""
        classic = self.metric("bucket").name
        rated = node(
            VECTOR,
            self.one("rate(", "increase(", "rate("),
            node(MATRIX, node(VECTOR, classic), "[", self.duration(1), "]"),
            ")",
        )
        return self.weighted(
            (3, lambda: rated),
            (1, lambda: node(VECTOR, classic)),
            (
                3,
                lambda: node(
                    VECTOR,
                    self.one(
                        "sum by (le) (",
                        "sum by (le, job) (",
                        "sum without (instance) (",
                        "avg by (le) (",
                    ),
                    rated,
                    ")",
                ),
            ),
            (6, self.histograms, depth),
            (1, self.vector, depth),
            (
                1,
                lambda: node(
                    VECTOR,
                    self.one(
                        '{__name__=~"both_seconds.*"}', '{__name__=~"(latency|rpc)_seconds.*"}'
                    ),
                ),
            ),
        )

    def histogram_function(self, depth):
        inner = self.buckets(depth)
        parts = self.has(*(f"histogram_{name}" for name in HISTOGRAM_PARTS))
        return self.weighted(
            (
                6,
                lambda: node(
                    VECTOR, "histogram_quantile(", self.quantile_of(depth), ", ", inner, ")"
                ),
            ),
            (
                3,
                lambda: node(
                    VECTOR,
                    "histogram_fraction(",
                    self.number(),
                    ", ",
                    self.number(),
                    ", ",
                    (
                        inner
                        if self.has("fractions of classic histograms")
                        else self.histograms(depth)
                    ),
                    ")",
                ),
            ),
            (
                6,
                lambda: node(
                    VECTOR,
                    f"{self.random.choice(parts)}(",
                    self.histograms(depth) if self.chance(0.8) else inner,
                    ")",
                ),
            ),
            (
                len(self.has("histogram_quantiles")),
                lambda: node(
                    VECTOR,
                    "histogram_quantiles(",
                    inner,
                    ', "q", ',
                    self.quantile(),
                    ", ",
                    self.quantile(),
                    ")",
                ),
            ),
        )

    # --- other functions -----------------------------------------------------

    def calendar(self, depth):
        return self.weighted(
            (1, lambda: node(VECTOR, f"{self.one(*CALENDAR)}()")),
            (2, lambda: node(VECTOR, f"{self.one(*CALENDAR)}(", self.vector(depth), ")")),
            (2, lambda: node(VECTOR, f"{self.one(*CALENDAR)}(vector(", self.scalar(depth), "))")),
            (
                5,
                lambda: node(
                    VECTOR,
                    f"{self.random.choice(self.has('timestamp', 'start_timestamp'))}(",
                    self.vector(depth),
                    ")",
                ),
            ),
        )

    def labels_function(self, depth):
        inner = self.vector(depth)
        source = self.one('"job"', '"instance"', '"rank"', '"none"', '"__name__"')
        target = self.one('"new"', '"job"', '"instance"', '"__name__"', '"été"', '"rank"')
        if self.chance(0.35):
            separator = self.one('"-"', '""', '"/"')
            return node(
                VECTOR,
                "label_join(",
                inner,
                f", {target}, {separator}",
                node(OPTIONAL, ", ", source),
                node(OPTIONAL, ', "rank"'),
                ")",
            )
        replacement = self.one(
            '"$1"', '"x-$1"', '"${1}y"', '""', '"$0"', '"$$1"', '"$name"', '"constant"', '"$2"'
        )
        expression = self.one(
            '"(.*)"', '"(a.*)"', '"(?P<name>.).*"', '"[a-c]:(\\\\d)"', '""', '".*"', '"(.)(.*)"'
        )
        return node(
            VECTOR, "label_replace(", inner, f", {target}, {replacement}, {source}, {expression})"
        )

    def absence(self, depth):
        if self.chance(0.6):
            inner = self.one(
                node(VECTOR, 'nothing{job="api"}'),
                node(VECTOR, 'nothing{job="a",job="b",x=~"y"}'),
                node(VECTOR, "nothing"),
                self.vector(depth),
            )
            return node(VECTOR, "absent(", inner, ")")
        inner = self.one(
            node(MATRIX, 'nothing{job="api",instance!="x"}[5m]'),
            self.matrix(depth),
            self.matrix(depth),
        )
        return node(VECTOR, "absent_over_time(", inner, ")")

    def sorted(self, depth):
        names = self.has("sort_by_label", "sort_by_label_desc")
        if not names or self.chance(0.5):
            return node(VECTOR, self.one("sort(", "sort_desc("), self.vector(depth), ")")
        labels = self.one(
            '"rank"', '"instance", "job"', '"none"', '"pod"', '"gpu", "rank"', '"__name__"'
        )
        return node(VECTOR, f"{self.random.choice(names)}(", self.vector(depth), f", {labels})")

    def info(self, depth):
        selector = self.one(
            "",
            "",
            ', {version=~".+"}',
            ', {region="eu"}',
            ', {__name__="build_info"}',
            ', {__name__=~".+_info"}',
            ', {__name__=~".+_info", branch="main"}',
            ', {version!="2.0"}',
            ', {none="x"}',
            ", {}",
        )
        inner = (
            self.selector("counter", "gauge", labels=("job", "instance"))
            if self.chance(0.5)
            else self.vector(depth)
        )
        return node(VECTOR, "info(", inner, node(OPTIONAL, selector), ")")


def in_seconds(time_ms):
    return f"{time_ms // 1000}" if time_ms % 1000 == 0 else f"{time_ms / 1000:.3f}"


def plain(name):
    return all(c.isascii() and (c.isalnum() or c in "_:") for c in name)


def quoted_label(name):
    return name if plain(name) else f'"{name}"'
