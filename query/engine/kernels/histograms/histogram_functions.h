// PromQL functions of one native histogram.
// Source: prometheus/prometheus, promql/quantile.go and promql/functions.go.
#pragma once

#include "model/histogram.h"
#include "query/engine/kernels/text/annotation.h"

namespace lockstep::engine {

inline double HistogramCount(const Histogram& histogram) { return histogram.count; }
inline double HistogramTotal(const Histogram& histogram) { return histogram.sum; }
double HistogramAverage(const Histogram& histogram);
double HistogramVariance(const Histogram& histogram);
double HistogramStddev(const Histogram& histogram);

// The q-quantile, with logarithmic interpolation in exponential buckets and linear interpolation in
// the zero bucket and in custom ones. q < 0: -Inf; q > 1: +Inf; q NaN or no observations: NaN. The
// caller warns about invalid values of q (IsInvalidQuantile).
double HistogramQuantile(double q, const Histogram& histogram, AnnotationSink& sink);

// The share of observations between the bounds, with the same interpolation. lower >= upper: 0; NaN
// bounds or no observations: NaN.
double HistogramFraction(double lower, double upper, const Histogram& histogram,
                         AnnotationSink& sink);

}  // namespace lockstep::engine
