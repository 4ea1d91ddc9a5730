"""The grammar of selectors: series, ranges, offsets, durations."""

import dataset
from chooser import Chooser
from tree import DURATION, MATRIX, OPTIONAL, VECTOR, node
from words import HISTOGRAM_KINDS


class Selectors(Chooser):
    """Selectors with their matchers, modifiers and ranges."""

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
        modifiers = self.modifiers(1)
        # What follows an offset may be part of it or not.
        tail = node(OPTIONAL, self.one(" * 2", "^2", " + 8000", " - 1m", "/step()", " > 2"))
        return node(
            VECTOR,
            self.selector_text(self.metric(*kinds, labels=labels)),
            smoothed,
            modifiers,
            tail if "offset" in str(modifiers) and self.has_steps() and self.chance(0.2) else "",
        )

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
        if self.chance(0.75):
            return node(DURATION, self.one("", "", "-"), self.duration_literal())
        if "duration arithmetic" in self.lacking:
            return self.duration_literal()
        grouped = node(DURATION, "(", self.duration(depth), ")")
        if not self.has_steps():
            return grouped
        sign = self.one("-", "-", "+", "-+", "--", "")
        call = self.one("step()", "range()", "min_of(step(), 1m)", "max_of(1m, 90s)")
        return self.weighted(
            (3, lambda: grouped),
            (3, lambda: node(DURATION, sign, grouped)),
            (2, lambda: node(DURATION, sign, call)),
            (1, lambda: node(DURATION, self.one("-+", "--"), self.duration_literal())),
        )

    def has_steps(self):
        """Whether the reference parses what may follow an offset like today's."""
        return not self.lacking & {"duration arithmetic", "duration step()", "duration min_of()"}

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


def plain(name):
    return all(c.isascii() and (c.isalnum() or c in "_:") for c in name)


def quoted_label(name):
    return name if plain(name) else f'"{name}"'
