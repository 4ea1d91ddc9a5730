// Write limits of tenants, by their ids.
#pragma once

#include <cstdint>
#include <optional>

#include "model/matcher.h"

namespace lockstep::tenants {

// Limits that apply separately to each tenant whose id matches.
struct TenantLimits {
  std::optional<Matcher> tenant;        // nullopt: any
  uint64_t max_series = 0;              // in the store; 0: no limit
  uint64_t max_samples_per_second = 0;  // 0: no limit
};

// Maximum samples per second; 0: no limit.
struct TenantRates {
  uint64_t max_samples_per_second = 0;          // over all tenants
  uint64_t max_samples_per_second_per_job = 0;  // within each tenant
};

}  // namespace lockstep::tenants
