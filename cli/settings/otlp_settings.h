// OtlpSettings: the section `otlp` of the configuration file. It has Prometheus' keys:
//
//   otlp: {translation_strategy: NoTranslation, promote_resource_attributes: [host.name]}
//
// and one more, `deltas`: add-up, refuse or keep.
//
// Flattened names (config_file.h) are "otlp.translation_strategy",
// "otlp.promote_resource_attributes[0]" and so on.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/settings/serve_options.h"
#include "ingest/otlp/names/translation.h"

namespace lockstep::cli {

class OtlpSettings {
 public:
  static bool IsOne(const GivenValue& value);

  // Expects values in the order of the file. Errors begin with the value's origin. Precondition:
  // IsOne(value).
  absl::Status Add(const GivenValue& value);
  // Fails if settings exclude each other.
  absl::StatusOr<otlp::Translation> Finish();

 private:
  absl::Status Set(std::string_view key, const std::string& text);

  // Prometheus rejects deltas by default; adding them up here loses nothing.
  otlp::Translation translation_{.deltas = otlp::DeltaPolicy::kAddUp};
  StringSet promoted_;
  StringSet ignored_;
  std::string promoted_origin_;  // of the first one; "" for none
  std::string ignored_origin_;
};

}  // namespace lockstep::cli
