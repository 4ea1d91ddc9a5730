// RetentionSettings: the list `storage.retention.rules` of the configuration file:
//
//   storage: {retention: {rules: [{job: "dev-.*", metric: "DCGM_.*", keep: 2d}]}}
//
// Flattened (config_file.h): "storage.retention.rules[0].job" and so on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/serve_options.h"
#include "storage/db/retention_rules.h"

namespace lockstep::cli {

class RetentionSettings {
 public:
  static bool IsOne(const GivenValue& value);

  // In the order of the file. Errors begin with the value's origin. Precondition: IsOne(value).
  absl::Status Add(const GivenValue& value);
  // Fails on a rule that does not say how long it keeps samples, or longer than `retention_ms`.
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

}  // namespace lockstep::cli
