"""Differences that are meant: lockstep follows a newer Prometheus than the one it runs beside.

One rule per difference; docs/promql-differences.md has a row for each.
"""

import dataclasses
import re

import answers
import dataset

COMPARISON = "==|!=|<|>"
HISTOGRAMS = "|".join(
    metric.name for metric in dataset.METRICS if metric.kind in ("histogram", "custom", "mixed")
)


# What newer servers say, and the older one in its place.
NEW_WORDS = (
    ("expected number, duration, step(), or range()", "expected number or duration"),
    ("in subquery or range selector", "in subquery selector"),
    ("Parameter value is NaN", "Scalar value NaN overflows int64"),
    ("Ratio value is NaN", "Ratio value NaN is NaN"),
    (' for metric name ""', ""),
)
# Infos told when and between which buckets, which the older one does not.
MONOTONICITY = re.compile(r", from buckets .* to \S+Z \(")
# Prometheus' number for a word of the language that has no name.
NAMELESS = re.compile(r'"<Item \d+>" ')
NEW_WARNINGS = ("sort is ineffective for range queries", "conflicting counter resets during")


# The two series of which one is too many, which newer servers sort.
DUPLICATES = re.compile(r"operation: \[(\{.*\}), (\{.*\})\];")


def in_old_words(text):
    text = DUPLICATES.sub(lambda pair: str(sorted(pair.groups())), text)
    for new, old in NEW_WORDS:
        text = text.replace(new, old)
    return NAMELESS.sub("", MONOTONICITY.sub(" (", text))


def new_words(answer):
    """The answer without what only newer servers say."""
    annotations = [
        tuple(
            sorted(
                {
                    in_old_words(text)
                    for text in texts
                    if not any(new in text for new in NEW_WARNINGS)
                }
            )
        )
        for texts in answer.annotations[:2]
    ]
    return dataclasses.replace(
        answer,
        annotations=(*annotations, *answer.annotations[2:]),
        error=tuple(map(in_old_words, answer.error)),
    )


def errors_in_brackets(query, reference, other):
    """What may stand in the brackets of a range, and how it is told."""
    old = r"unexpected colon|in duration expression|in subquery selector"
    return (
        reference.error
        and other.error
        and reference.error[0] == other.error[0] == "bad_data"
        and (re.search(old, reference.error[1]) or "duration must be greater" in other.error[1])
    )


def operator_positions(query, reference, other):
    """Behind a list of labels Prometheus takes the end of a call to be where that list ends."""
    about = (
        r"bool modifier can only|must not occur in ON and GROUP|must use BOOL|not allowed in binary"
    )
    return (
        reference.error
        and other.error
        and re.search(about, reference.error[1])
        and re.sub(r"\d+:\d+", "", reference.error[1]) == re.sub(r"\d+:\d+", "", other.error[1])
    )


def reconciled_bounds(query, reference, other):
    """Native histograms with other custom bounds are added up over the bounds that they share."""
    said = str(reference.annotations)
    if reference.error and other.error and "queue_seconds" in query.text:
        return reference.error[1].startswith("found duplicate series for the match group")
    return "incompatible custom buckets" in said or (
        "incompatible bucket layout" in said
        and "mismatched custom buckets were reconciled" in str(other.annotations)
    )


def sums_of_histograms(query, reference, other):
    """Sums and averages of native histograms are compensated, averages divided at another moment."""
    about = r"\bavg(_over_time)?\b"
    if re.search(HISTOGRAMS, query.text):
        about = r"\b(sum|avg)(_over_time)?\b"
    finite = [without_endless(answer) for answer in (reference, other)]
    return re.search(about, query.text) and answers.difference(query, *finite, 1e-9) is None


def without_endless(answer):
    """The answer less histograms with populations that are no numbers, whose averages depend on the way."""
    endless = re.compile(r"NaN|Inf")
    return dataclasses.replace(
        answer,
        series={
            labels: {
                time: "endless" if isinstance(value, tuple) and endless.search(value[0]) else value
                for time, value in points.items()
            }
            for labels, points in answer.series.items()
        },
    )


def quantiles_beside_nan(query, reference, other):
    """The quantile of a histogram with NaN observations is not one of the highest bucket."""
    return (
        "result is skewed higher" in str(reference.annotations)
        and reference.annotations == other.annotations
    )


def dropped_names_stay(query, reference, other):
    """A comparison gives elements back a name that was to be dropped."""
    if not re.search(f"{COMPARISON}|count_values|(last|first)_over_time.*:", query.text):
        return False
    if other.error and other.error[1] == "vector cannot contain metrics with the same labelset":
        labels = [[pair for pair in one if pair[0] != "__name__"] for one in reference.order]
        return any(labels.count(one) > 1 for one in labels)
    nameless = [
        dataclasses.replace(
            answer,
            series={
                tuple(pair for pair in labels if pair[0] != "__name__"): points
                for labels, points in answer.series.items()
            },
            order=[],
        )
        for answer in (reference, other)
    ]
    tolerance = 1e-9 if re.search(r"\b(sum|avg)(_over_time)?\b", query.text) else 0
    return answers.difference(query, *nameless, tolerance) is None


def filtered_matches(query, reference, other):
    """Matches that a comparison then filters away count when it is looked for ambiguous ones."""
    return (
        "multiple matches for labels" not in str(reference.error)
        and other.error
        and other.error[1].startswith("multiple matches for labels")
        and re.search(COMPARISON, query.text)
    )


def negated_names(query, reference, other):
    """Negated series, and those that `or` brings together, lose their names at the end."""
    return (
        not other.error
        and reference.error
        and reference.error[1] == "vector cannot contain metrics with the same labelset"
        and re.search(r"(^|[-+*/%^=<>(,[ ])-[ (]*[a-z{]| or ", query.text)
    )


def order_of_chosen(query, reference, other):
    """Which of several duplicates is met first, behind what orders its elements, or a match."""
    ordering = r"\b(topk|bottomk|limitk|limit_ratio|sort\w*)\b|\b(on|ignoring)\b.*\b(on|ignoring)\b"
    return (
        re.search(ordering, query.text)
        and reference.error
        and other.error
        and all(
            "found duplicate series for the match group" in answer.error[1]
            for answer in (reference, other)
        )
    )


def rates_of_few(query, reference, other):
    """Rates of native histograms do not begin below a count of zero. The data keep away from that, but
    not the rates of rates."""
    return re.search(HISTOGRAMS, query.text) and re.search(
        r"(rate|increase)\(.*(rate|increase|delta)\(.*\[[^]]*:", query.text
    )


def timestamps_at_offsets(query, reference, other):
    """timestamp() of a selector with both `@` and `offset`: Prometheus forgets the offset."""
    return re.search(r"timestamp\([^()]*(@.*offset|offset.*@)", query.text)


def unknown_functions(query, reference, other):
    """Functions that only newer servers have, made by damaging a query."""
    return reference.error and "unknown function with name" in reference.error[1]


def limits_of_nothing(query, reference, other):
    """A limit that is no number is an error, whether there are elements or not."""
    return (
        not reference.error
        and not reference.series
        and other.error
        and re.search("NaN|overflows int64", other.error[1])
    )


def logarithms_of_subnormals(query, reference, other):
    """Go's logarithm on amd64 takes numbers below 2.2e-308 for 2.2e-308 or so."""
    return re.search(r"\b(ln|log2|log10)\(", query.text) and re.search(
        "extremes|kind|__name__", query.text
    )


def amplified(query, reference, other):
    """A remainder, and a sine of something large, makes much of the last bits of what it is taken of."""
    return (
        re.search(r"%|\b(sin|cos|tan)\(.*(\^|\bexp\(|\b(sin|cos)h\()", query.text)
        and answers.INEXACT.search(query.text)
        and reference.kind == other.kind
    )


def odd_numbers(query, reference, other):
    """What is wrong with a number that no number is, such as `.0.5`."""
    return (
        reference.error
        and other.error
        and "error parsing number" in reference.error[1]
        and "bad number or duration syntax" in other.error[1]
    )


def broken_parser(query, reference, other):
    """The parser of 3.5 stumbles over itself."""
    return reference.error and reference.error[1].endswith('"query": unexpected error')


def negated_histograms(query, reference, other):
    """A negated native histogram is a gauge, of which rate() of a subquery warns."""
    kept = [
        dataclasses.replace(
            answer,
            annotations=tuple(
                tuple(text for text in texts if "this native histogram metric is not" not in text)
                for texts in answer.annotations
            ),
        )
        for answer in (reference, other)
    ]
    return (
        re.search(r"(^|[-+*/%^=<>(,[ ])-[ (]*[a-z{]", query.text)
        and re.search(HISTOGRAMS, query.text)
        and answers.difference(query, *kept) is None
    )


def aliased_histograms(query, reference, other):
    """Sums over subqueries of native histograms change the histograms that they add up."""
    return re.search(HISTOGRAMS, query.text) and re.search(
        r"(sum|avg)_over_time\(.*\[[^]]*:", query.text
    )


def last_of_operator(query, reference, other):
    """Of the notes of a binary operator at a step the last one is kept."""
    kept = tuple(
        tuple(text for text in ours if "binary operator" not in text or text in theirs)
        for ours, theirs in zip(other.annotations, reference.annotations)
    )
    return kept == reference.annotations and (
        answers.difference(query, reference, dataclasses.replace(other, annotations=kept)) is None
    )


def quantiles_of_pinned(query, reference, other):
    """Of several quantiles that are none, the first is told when what they are of is pinned."""
    return (
        re.search(r"\bquantile\b.*@", query.text)
        and not reference.error
        and answers.difference(
            query, reference, dataclasses.replace(other, annotations=reference.annotations)
        )
        is None
    )


def quantiles_of_negated(query, reference, other):
    """Populations below zero have no quantiles, and which bucket the search ends at is chance."""
    return re.search(
        r"histogram_(quantile|fraction)\(.*[-(, ]-[ (]*[a-z{]", query.text
    ) and re.search(HISTOGRAMS, query.text)


def zeros_of_quantiles(query, reference, other):
    """Zeros of both signs are equal, and sorting may leave either where the quantile is."""
    unsigned = [
        dataclasses.replace(
            answer,
            series={
                labels: {time: "0" if value == "-0" else value for time, value in points.items()}
                for labels, points in answer.series.items()
            },
        )
        for answer in (reference, other)
    ]
    return "quantile" in query.text and answers.difference(query, *unsigned) is None


def texts_of_divided(query, reference, other):
    """Prometheus cannot write native histograms with custom buckets that were divided by NaN."""
    return reference.error and "custom buckets have no zero bucket" in reference.error[1]


def rates_of_gauges(query, reference, other):
    """Where only counts and sums are read, resets of gauges that show in buckets only are not seen,
    but whether histograms have custom buckets."""
    if re.search(r"histogram_(count|sum|avg)\(.* [-+] ", query.text) and re.search(
        HISTOGRAMS, query.text
    ):
        return True
    return re.search(
        r"histogram_(count|sum|avg)\(.*(rate|increase|resets)\(.*"
        "(size_bytes|queue_seconds|mixed|__name__|instance=|job=)",
        query.text,
    )


def order_of_matches(query, reference, other):
    """Elements of a match of vectors come in another order, which shows in last bits."""
    return re.search(r"\b(sum|avg|stddev|stdvar)\b", query.text) and (
        answers.difference(query, reference, other, 1e-9) is None
    )


def populations_of_nan(query, reference, other):
    """Of a histogram multiplied by NaN other empty buckets are written, and averages of it are NaN."""
    by_nan = r"/ ?\(?(0|NaN)\b|\* ?\(?(NaN|[-+]?Inf)\b"
    finite = [without_endless(answer) for answer in (reference, other)]
    return answers.difference(query, *finite) is None or (
        re.search(HISTOGRAMS, query.text) and re.search(by_nan, query.text)
    )


def far_durations(query, reference, other):
    """Durations beyond 292 years are out of range."""
    return other.error and "duration is out of range" in other.error[1]


def limits_of_chosen(query, reference, other):
    """Of equal elements the first are taken, of which there are none behind a choice or a match."""
    return re.search(
        r"\b(limitk|topk|bottomk)\b.*\b(limitk|topk|bottomk|limit_ratio|on|ignoring)\b",
        query.text,
    )


RULES = (
    broken_parser,
    odd_numbers,
    zeros_of_quantiles,
    quantiles_of_negated,
    aliased_histograms,
    last_of_operator,
    quantiles_of_pinned,
    negated_histograms,
    populations_of_nan,
    far_durations,
    rates_of_gauges,
    order_of_matches,
    limits_of_chosen,
    logarithms_of_subnormals,
    amplified,
    texts_of_divided,
    unknown_functions,
    limits_of_nothing,
    timestamps_at_offsets,
    rates_of_few,
    filtered_matches,
    negated_names,
    order_of_chosen,
    errors_in_brackets,
    operator_positions,
    reconciled_bounds,
    sums_of_histograms,
    quantiles_beside_nan,
    dropped_names_stay,
)


def explanation(query, reference, other):
    """The name of the rule that explains why the answers differ, or None."""
    reference, other = new_words(reference), new_words(other)
    if answers.difference(query, reference, other) is None:
        return new_words.__name__
    for rule in RULES:
        if rule(query, reference, other):
            return rule.__name__
    return None
