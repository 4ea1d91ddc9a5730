"""Queries that should fail: wrongly typed, damaged, or against a rule. Their errors must agree.

All functions take the Grammar that makes their parts.
"""

import words
from tree import MATRIX, SCALAR, STRING, VECTOR, node

PIECES = (
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "+",
    " by ",
    '"',
    "'",
    "1",
    "x",
    " offset ",
    "@",
    " bool ",
    "==",
    "!",
    "=~",
    "#",
    ":",
    " on ",
    "$",
    "é",
    "\\",
    "5m",
    " and ",
    " sum ",
    ".",
    "_",
    "0x",
    "1e",
    " group_left ",
    ";",
    "%",
    "::",
    " ignoring(",
    " without ",
    "[5m]",
    "[5m:]",
    " inf ",
    " @ ",
)
# Where durations occur; DURATION is replaced by one.
PLACES = (
    "up[DURATION]",
    "rate(up[DURATION])",
    "up offset DURATION",
    "rate(up[5m] offset DURATION)",
    "max_over_time(up[DURATION:])",
    "max_over_time(up[5m:DURATION])",
    "up @ DURATION",
)
# GOOD is replaced by a vector.
REFUSED = (
    'label_replace(GOOD, "", "x", "job", ".*")',
    'label_replace(GOOD, "x", "x", "job", "(")',
    'label_join(GOOD, "", "-", "job")',
    "topk(NaN, GOOD)",
    "topk(1e30, GOOD)",
    "limit_ratio(NaN, GOOD)",
    "limitk(NaN, GOOD)",
    'count_values("", GOOD)',
    "nofunction(GOOD)",
    "GOOD + on (job) group_left (job) GOOD",
    "GOOD and on (job) group_left GOOD",
    "GOOD + bool GOOD",
    "histogram_quantile(GOOD, 0.5)",
    "{}",
    '{job=~".*"}',
    'up{__name__="x"}',
    '{x!="y"}',
    'up{job=~"("}',
    'up{job=~"a)(b"}',
    'up{job!~"[z-a]"}',
    "1 == 1",
    "1 >/ 1",
    "2 </ 1 != GOOD",
    "info(GOOD, 1)",
    "info(1, GOOD)",
    "info(GOOD, up[5m])",
    "info(GOOD, GOOD)",
    "info(GOOD, ({job='x'}))",
    "up[0s]",
    "up[-5m]",
    "up[5m:0s]",
    "up offset 1d1d",
    "up @ NaN",
    "up @ Inf",
    "up @ 1e30",
    "up offset 5m offset 5m",
    "up @ 1 @ 2",
    "sum by (job) by (job) (up)",
    "rate(up)",
    "up[5m][5m]",
    "(up)[5m]",
    "sum(up",
    "",
    " # only words",
    "1.5h",
    "up[1x]",
    "up[]",
    "up[5m:1m",
    "sum()",
    "time(1)",
    "'\\q'",
    '"\\xff"',
    "08",
    "0b1",
    "1__0",
    "up{job=api}",
    "up{job}",
    "up{'job'='x'}",
    "up{,}",
    "up{job='x',,}",
    "a{b='c'}{d='e'}",
    "double_exponential_smoothing(loss[5m], 2, 0.5)",
    "up offset -(5m)",
    "up offset 99999999999y",
    "up{job='x' or job='y'}",
    "sum(up) by",
    "up == bool 1",
    "bool",
    "on",
    "sum",
    "offset",
    "by",
    "inf",
    "nan{}",
    "__name__",
    ":a:",
    "up:",
)


def make(language, depth):
    return language.weighted(
        (3, mistyped, language, depth),
        (4, damaged, language, depth),
        (2, refused, language, depth),
        (2 * language.has_steps(), odd_duration, language),
    )


def mistyped(language, depth):
    one = language.one
    makers = {
        SCALAR: language.scalar,
        VECTOR: language.vector,
        MATRIX: language.matrix,
        STRING: lambda _: language.text(),
    }
    any_value = lambda: makers[one(*makers)](min(depth - 1, 1))
    names = language.has(
        *words.FUNCTION_CALLS,
        "histogram_quantile",
        "label_replace",
        "quantile_over_time",
        "clamp",
        "scalar",
        "vector",
        "predict_linear",
        "label_join",
    )
    aggregations = (*words.AGGREGATIONS, "topk", "quantile", "count_values")
    operators = (*words.ARITHMETIC, *words.COMPARISONS, *words.SETS)
    arguments = lambda: [
        part for i in range(language.random.randrange(4)) for part in (", " * (i > 0), any_value())
    ]
    return language.weighted(
        (4, lambda: node(VECTOR, f"{one(*names)}(", *arguments(), ")")),
        (2, lambda: node(VECTOR, any_value(), f" {one(*operators)} ", any_value())),
        (
            2,
            lambda: node(
                VECTOR, f"{one(*aggregations)}(", any_value(), one("", ", up", ", 1"), ")"
            ),
        ),
        (1, lambda: node(VECTOR, "-", any_value())),
        (1, lambda: node(VECTOR, any_value(), "[5m]", one("", ":1m]"))),
        (1, lambda: node(VECTOR, any_value(), "[5m:1m]")),
        (1, lambda: node(VECTOR, any_value(), one(" offset 5m", " @ 5", " @ start()"))),
    )


def damaged(language, depth):
    """The text with something cut out, inserted, or both."""
    text = str(language.vector(min(depth, 2)))
    begin = language.random.randrange(len(text) + 1)
    end = min(len(text), begin + language.one(1, 1, 2, 5))
    piece = language.one(*PIECES)
    return node(
        "damaged",
        language.one(
            text[:begin] + text[end:],
            text[:begin] + piece + text[begin:],
            text[:begin] + piece + text[end:],
            text[:begin],
            text[begin:],
        ),
    )


def odd_duration(language):
    """A damaged duration, or none."""
    text = str(language.one(language.duration, language.offset)(2))
    at = language.random.randrange(len(text) + 1)
    odd = language.one(
        text[:at] + language.one(*PIECES) + text[at:],
        text[:at] + text[at + 1 :],
        f"({text}) {language.one('/', '%')} 0",
        f"({text}) {language.one('-', '/', '%', '*')} ({text} - {text})",
        f"{language.one('min_of', 'max_of')}({text}, (-1) ^ 0.5)",
        f"{text}, {text}",
        f"({text}) * 1e12",
    )
    before, after = language.one(*PLACES).split("DURATION")
    return node("damaged", before + odd + after)


def refused(language, depth):
    good = language.vector(min(depth, 2))
    pieces = language.one(*REFUSED).split("GOOD")
    return node(VECTOR, pieces[0], *[part for piece in pieces[1:] for part in (good, piece)])
