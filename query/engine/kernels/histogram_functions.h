// What PromQL asks of one native histogram.
// Source: prometheus/prometheus, promql/quantile.go and promql/functions.go.
#pragma once

#include "model/histogram.h"
#include "query/engine/kernels/annotation.h"

namespace lockstep::engine {

inline double HistogramCount(const Histogram& histogram) { return histogram.count; }
inline double HistogramTotal(const Histogram& histogram) { return histogram.sum; }
double HistogramAverage(const Histogram& histogram);
double HistogramVariance(const Histogram& histogram);
double HistogramStddev(const Histogram& histogram);

// The q-quantile: logarithmic interpolation in exponential buckets, linear in the zero bucket and
// in custom ones. q < 0: -Inf; q > 1: +Inf; q NaN or no observations: NaN. The warning about q is
// the caller's (IsInvalidQuantile).
double HistogramQuantile(double q, const Histogram& histogram, AnnotationSink& sink);

// The share of observations between the bounds, with the same interpolation. lower >= upper: 0; NaN
// bounds or no observations: NaN.
double HistogramFraction(double lower, double upper, const Histogram& histogram,
                         AnnotationSink& sink);

}  // namespace lockstep::engine
