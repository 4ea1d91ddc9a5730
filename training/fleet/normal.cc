#include "training/fleet/normal.h"

#include <cmath>
#include <numbers>

namespace lockstep::training {

double NormalTail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

// Halves an interval; scores are computed once for each job, so speed does not matter.
double NormalQuantile(double probability) {
  constexpr double kFurthest = 40;
  constexpr int kHalvings = 64;
  double low = -kFurthest;
  double high = kFurthest;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (NormalTail(-middle) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace lockstep::training
