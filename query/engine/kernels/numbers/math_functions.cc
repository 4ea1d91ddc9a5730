#include "query/engine/kernels/numbers/math_functions.h"

#include <cmath>
#include <numbers>

#include "query/engine/kernels/numbers/constants.h"

namespace lockstep::engine {
namespace {

double Sign(double value) {
  if (value < 0) return -1;
  if (value > 0) return 1;
  return value;
}

}  // namespace

MathFunction FindMathFunction(promql::FunctionId id) {
  using promql::FunctionId;
  switch (id) {
    case FunctionId::kAbs:
      return [](double v) { return std::fabs(v); };
    case FunctionId::kCeil:
      return [](double v) { return std::ceil(v); };
    case FunctionId::kFloor:
      return [](double v) { return std::floor(v); };
    case FunctionId::kExp:
      return [](double v) { return std::exp(v); };
    case FunctionId::kSqrt:
      return [](double v) { return std::sqrt(v); };
    case FunctionId::kLn:
      return [](double v) { return std::log(v); };
    case FunctionId::kLog2:
      return [](double v) { return std::log2(v); };
    case FunctionId::kLog10:
      return [](double v) { return std::log10(v); };
    case FunctionId::kSgn:
      return Sign;
    case FunctionId::kSin:
      return [](double v) { return std::sin(v); };
    case FunctionId::kCos:
      return [](double v) { return std::cos(v); };
    case FunctionId::kTan:
      return [](double v) { return std::tan(v); };
    case FunctionId::kAsin:
      return [](double v) { return std::asin(v); };
    case FunctionId::kAcos:
      return [](double v) { return std::acos(v); };
    case FunctionId::kAtan:
      return [](double v) { return std::atan(v); };
    case FunctionId::kSinh:
      return [](double v) { return std::sinh(v); };
    case FunctionId::kCosh:
      return [](double v) { return std::cosh(v); };
    case FunctionId::kTanh:
      return [](double v) { return std::tanh(v); };
    case FunctionId::kAsinh:
      return [](double v) { return std::asinh(v); };
    case FunctionId::kAcosh:
      return [](double v) { return std::acosh(v); };
    case FunctionId::kAtanh:
      return [](double v) { return std::atanh(v); };
    case FunctionId::kDeg:
      return [](double v) { return v * 180 / std::numbers::pi; };
    case FunctionId::kRad:
      return [](double v) { return v * std::numbers::pi / 180; };
    default:
      return nullptr;
  }
}

double Round(double value, double to_nearest) {
  const double inverse = 1 / to_nearest;
  return std::floor(value * inverse + 0.5) / inverse;
}

double Clamp(double value, double min, double max) { return MaxOf(min, MinOf(max, value)); }

double MaxOf(double a, double b) {
  if (a == kInfinity || b == kInfinity) return kInfinity;
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double MinOf(double a, double b) {
  if (a == -kInfinity || b == -kInfinity) return -kInfinity;
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double Modulo(double a, double b) { return std::fmod(a, b); }

double Power(double a, double b) { return std::pow(a, b); }

double Atan2(double a, double b) { return std::atan2(a, b); }

}  // namespace lockstep::engine
