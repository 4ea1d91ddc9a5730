// Settings that are lists of maps, which only the configuration file can have: retention rules and
// limits of tenants. A flattened value (config_file.h) is called "NAME[0].key".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/settings/serve_options.h"
#include "storage/db/retention/retention_rules.h"
#include "tenants/tenant_limits.h"

namespace lockstep::cli {

// The list `storage.retention.rules`:
//
//   storage: {retention: {rules: [{job: "dev-.*", metric: "DCGM_.*", keep: 2d}]}}
class RetentionSettings {
 public:
  static bool IsOne(const GivenValue& value);

  // Expects values in the order of the file. Errors begin with the value's origin. Precondition:
  // IsOne(value).
  absl::Status Add(const GivenValue& value);
  // Fails if a rule has no retention time, or one that exceeds `retention_ms`.
  absl::StatusOr<std::vector<RetentionRule>> Finish(int64_t retention_ms);

 private:
  struct Origins {
    std::string first;  // of the rule's values
    std::string keep;
  };

  absl::Status Set(const GivenValue& value, const std::string& key, size_t index);

  std::vector<RetentionRule> rules_;
  std::vector<Origins> origins_;
};

// The list `tenants.limits`:
//
//   tenants: {limits: [{tenant: "team-.*", max_series: 1000000, max_samples_per_second: 50000}]}
class TenantSettings {
 public:
  static bool IsOne(const GivenValue& value);

  // Expects values in the order of the file. Errors begin with the value's origin. Precondition:
  // IsOne(value).
  absl::Status Add(const GivenValue& value);
  std::vector<tenants::TenantLimits> Finish() { return std::move(limits_); }

 private:
  std::vector<tenants::TenantLimits> limits_;
};

}  // namespace lockstep::cli
