// What tenants may send, by their ids.
#pragma once

#include <cstdint>
#include <optional>

#include "model/matcher.h"

namespace lockstep::tenants {

// Each tenant whose id matches may have so much for itself.
struct TenantLimits {
  std::optional<Matcher> tenant;        // nothing: any
  uint64_t max_series = 0;              // that the store knows; 0: no limit
  uint64_t max_samples_per_second = 0;  // likewise
};

// How many samples a second may come, 0: any number.
struct TenantRates {
  uint64_t max_samples_per_second = 0;          // of all tenants together
  uint64_t max_samples_per_second_per_job = 0;  // of each tenant
};

}  // namespace lockstep::tenants
