// Element-wise functions of floats.
#pragma once

#include "query/promql/syntax/functions.h"

namespace lockstep::engine {

using MathFunction = double (*)(double);

// Finds abs, ceil, floor, exp, sqrt, ln, log2, log10, sgn, the trigonometric functions, deg and
// rad; null for others.
MathFunction FindMathFunction(promql::FunctionId id);

// floor(value / to_nearest + 0.5) * to_nearest, computed with the inverse like Prometheus; ties
// round up.
double Round(double value, double to_nearest);

// NaN stays NaN. The vector is empty when max < min; see ClampIsEmpty.
double Clamp(double value, double min, double max);
inline bool ClampIsEmpty(double min, double max) { return max < min; }

// max_of and min_of, like Go's math.Max and math.Min: the winning infinity also wins over NaN,
// otherwise NaN stays; +0 is above -0.
double MaxOf(double a, double b);
double MinOf(double a, double b);

// The arithmetic operators %, ^ and atan2. C and Go agree on their special cases.
double Modulo(double a, double b);
double Power(double a, double b);
double Atan2(double a, double b);

}  // namespace lockstep::engine
