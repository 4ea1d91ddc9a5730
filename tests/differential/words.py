"""The words of PromQL that queries are made of, and how to find out whether a server knows them."""

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

# What older servers may lack, with a query that parses only on a server that has it.
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
    # Both are zero in an instant query.
    "duration step()": "a[step() + 1m]",
    "duration range()": "a[range() + 1m]",
    "duration min_of()": "a[min_of(1m, 2m)]",
}
# What older servers treat differently, with a query and the response of only those.
BEHAVIOUR = {
    "fractions of classic histograms": (
        'histogram_fraction(0.1, 1, label_replace(vector(1), "le", "2", "", "") or'
        ' label_replace(vector(2), "le", "+Inf", "", ""))',
        '"NaN"',
    ),
}
