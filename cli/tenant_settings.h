// TenantSettings: the list `tenants.limits` of the configuration file:
//
//   tenants: {limits: [{tenant: "team-.*", max_series: 1000000, max_samples_per_second: 50000}]}
#pragma once

#include <vector>

#include "base/status.h"
#include "cli/serve_options.h"
#include "tenants/tenant_limits.h"

namespace lockstep::cli {

class TenantSettings {
 public:
  static bool IsOne(const GivenValue& value);

  // In the order of the file. Errors begin with the value's origin. Precondition: IsOne(value).
  absl::Status Add(const GivenValue& value);
  std::vector<tenants::TenantLimits> Finish() { return std::move(limits_); }

 private:
  std::vector<tenants::TenantLimits> limits_;
};

}  // namespace lockstep::cli
