// Element-wise functions of floats.
#pragma once

#include "query/promql/functions.h"

namespace lockstep::engine {

using MathFunction = double (*)(double);

// abs ceil floor exp sqrt ln log2 log10 sgn, the trigonometric ones, deg, rad. Null for all others.
MathFunction FindMathFunction(promql::FunctionId id);

// floor(value / to_nearest + 0.5) * to_nearest, computed with the inverse as Prometheus does: ties
// up.
double Round(double value, double to_nearest);

// NaN stays NaN. The vector is empty when max < min; see ClampIsEmpty.
double Clamp(double value, double min, double max);
inline bool ClampIsEmpty(double min, double max) { return max < min; }

// max_of and min_of, as Go's math.Max and math.Min: an infinity that wins wins over NaN too,
// otherwise NaN stays; +0 is above -0.
double MaxOf(double a, double b);
double MinOf(double a, double b);

// The arithmetic operators %, ^ and atan2. C and Go agree in their special cases.
double Modulo(double a, double b);
double Power(double a, double b);
double Atan2(double a, double b);

}  // namespace lockstep::engine
