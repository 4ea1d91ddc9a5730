"""Differences between a Prometheus before 3.14 and the newer one whose language lockstep has.

One rule per difference; docs/promql-differences.md lists them. They can be removed when every
distribution has a newer one.
"""

import dataclasses
import re

import answers
import explained

# Messages of newer servers, and the older one's in their place.
NEW_WORDS = (
    ("expected number, duration, step(), or range()", "expected number or duration"),
    ("in subquery or range selector", "in subquery selector"),
    ("Parameter value is NaN", "Scalar value NaN overflows int64"),
    ("Ratio value is NaN", "Ratio value NaN is NaN"),
    (' for metric name ""', ""),
)
# Infos that the older one does not return, or not between these buckets.
MONOTONICITY = re.compile(r", from buckets .* to \S+Z \(")
NEW_WARNINGS = ("sort is ineffective for range queries", "conflicting counter resets during")


def in_old_words(text):
    for new, old in NEW_WORDS:
        text = text.replace(new, old)
    return MONOTONICITY.sub(" (", text)


def new_words(answer):
    """The response without what only newer servers report."""
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


def broken_parser(query, reference, other):
    """The parser of 3.5 gets confused."""
    return reference.error and reference.error[1].endswith('"query": unexpected error')


def aliased_histograms(query, reference, other):
    """Sums over subqueries of native histograms modify the histograms that they add up."""
    return re.search(explained.HISTOGRAMS, query.text) and re.search(
        r"(sum|avg)_over_time\(.*\[[^]]*:", query.text
    )


def negated_histograms(query, reference, other):
    """A negated native histogram is a gauge, about which rate() of a subquery warns."""
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
        and re.search(explained.HISTOGRAMS, query.text)
        and answers.difference(query, *kept) is None
    )


def deviations_beside_nan(query, reference, other):
    """mad_over_time ignores NaN."""
    return "mad_over_time" in query.text


def columns_of_parentheses(query, reference, other):
    """Annotations about an argument in parentheses may refer to the parentheses."""
    bare = [
        dataclasses.replace(
            answer,
            annotations=tuple(
                tuple(re.sub(r" \(\d+:\d+\)$", "", text) for text in texts)
                for texts in answer.annotations
            ),
        )
        for answer in (reference, other)
    ]
    return "((" in query.text.replace(" ", "") and answers.difference(query, *bare) is None


def far_durations(query, reference, other):
    """Durations beyond 292 years are out of range."""
    return other.error and "duration is out of range" in other.error[1]


def rates_of_gauges(query, reference, other):
    """Where only counts and sums are read, resets of gauges that show only in buckets are not
    detected, but custom buckets are.
    """
    if re.search(r"histogram_(count|sum|avg)\(.* [-+] ", query.text) and re.search(
        explained.HISTOGRAMS, query.text
    ):
        return True
    return re.search(
        r"histogram_(count|sum|avg)\(.*(rate|increase|resets)\(.*"
        "(size_bytes|queue_seconds|mixed|__name__|instance=|job=)",
        query.text,
    )


def unknown_functions(query, reference, other):
    """Functions of newer servers only, produced by damaging a query."""
    return reference.error and "unknown function with name" in reference.error[1]


def limits_of_nothing(query, reference, other):
    """A limit that is NaN is an error, whether there are elements or not."""
    return (
        not reference.error
        and not reference.series
        and other.error
        and re.search("NaN|overflows int64", other.error[1])
    )


def rates_of_few(query, reference, other):
    """Rates of native histograms do not start below a count of zero. The data avoid that, but rates
    of rates do not.
    """
    return re.search(explained.HISTOGRAMS, query.text) and re.search(
        r"(rate|increase)\(.*(rate|increase|delta)\(.*\[[^]]*:", query.text
    )


def filtered_matches(query, reference, other):
    """Matches that a comparison later removes count as ambiguous ones."""
    return (
        "multiple matches for labels" not in str(reference.error)
        and other.error
        and other.error[1].startswith("multiple matches for labels")
        and re.search(explained.COMPARISON, query.text)
    )


def series_of_other_steps(query, reference, other):
    """Series that become equal by losing their names are merged if they have no step in common."""
    return (
        not other.error
        and reference.error
        and reference.error[1] == "vector cannot contain metrics with the same labelset"
    )


def quantiles_of_steps(query, reference, other):
    """Every step reports its invalid quantile."""
    kept = [
        dataclasses.replace(
            answer,
            annotations=tuple(
                tuple(text for text in texts if "quantile value should be between" not in text)
                for texts in answer.annotations
            ),
        )
        for answer in (reference, other)
    ]
    return answers.difference(query, *kept) is None


def errors_in_brackets(query, reference, other):
    """What the brackets of a range may contain, and how errors are reported."""
    old = r"unexpected colon|in duration expression|in subquery selector"
    return (
        reference.error
        and other.error
        and reference.error[0] == other.error[0] == "bad_data"
        and (re.search(old, reference.error[1]) or "duration must be greater" in other.error[1])
    )


def reconciled_bounds(query, reference, other):
    """Native histograms with different custom bounds are added up over their common bounds."""
    said = str(reference.annotations)
    if reference.error and other.error and "queue_seconds" in query.text:
        return reference.error[1].startswith("found duplicate series for the match group")
    return "incompatible custom buckets" in said or (
        "incompatible bucket layout" in said
        and "mismatched custom buckets were reconciled" in str(other.annotations)
    )


def sums_of_histograms(query, reference, other):
    """Sums and averages of native histograms are compensated, and averages divided at another
    point.
    """
    about = r"\bavg(_over_time)?\b"
    if re.search(explained.HISTOGRAMS, query.text):
        about = r"\b(sum|avg)(_over_time)?\b"
    finite = [explained.without_endless(answer) for answer in (reference, other)]
    return re.search(about, query.text) and answers.difference(query, *finite, 1e-9) is None


RULES = (
    broken_parser,
    aliased_histograms,
    negated_histograms,
    deviations_beside_nan,
    columns_of_parentheses,
    far_durations,
    rates_of_gauges,
    unknown_functions,
    limits_of_nothing,
    rates_of_few,
    filtered_matches,
    series_of_other_steps,
    quantiles_of_steps,
    errors_in_brackets,
    reconciled_bounds,
    sums_of_histograms,
)


def explanation(query, reference, other):
    """See explained.explanation()."""
    reference, other = new_words(reference), new_words(other)
    if answers.difference(query, reference, other) is None:
        return new_words.__name__
    return explained.explanation(query, reference, other, (*RULES, *explained.RULES))
