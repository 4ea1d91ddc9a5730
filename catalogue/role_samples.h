// What ToRole() (metric_names.h) does with the samples of a series, in two steps: for callers that
// have several series of one stored series, which must be converted alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "catalogue/metric_names.h"

namespace lockstep::catalogue {

struct RoleConversion {
  double factor = 1;
  bool takes_rate = false;
};

// Where sources differ, the values decide.
RoleConversion ConversionOf(const NameRole& name, std::span<const double> values);

// In place, as ToRole().
void Convert(const RoleConversion& conversion, std::vector<int64_t>& timestamp_ms,
             std::vector<double>& values);

}  // namespace lockstep::catalogue
