// OtlpSettings: the section `otlp` of the configuration file, which has Prometheus' keys:
//
//   otlp: {translation_strategy: NoTranslation, promote_resource_attributes: [host.name]}
//
// and one more, `deltas`: add-up, refuse or keep.
//
// Flattened (config_file.h): "otlp.translation_strategy", "otlp.promote_resource_attributes[0]" and so on.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/serve_options.h"
#include "ingest/otlp/translation.h"

namespace lockstep::cli {

class OtlpSettings {
 public:
  static bool IsOne(const GivenValue& value);

  // In the order of the file. Errors begin with the value's origin. Precondition: IsOne(value).
  absl::Status Add(const GivenValue& value);
  // Fails on settings that exclude each other.
  absl::StatusOr<otlp::Translation> Finish();

 private:
  absl::Status Set(std::string_view key, const std::string& text);

  // Prometheus refuses deltas unless a feature is switched on; here they lose nothing.
  otlp::Translation translation_{.deltas = otlp::DeltaPolicy::kAddUp};
  StringSet promoted_;
  StringSet ignored_;
  std::string promoted_origin_;  // of the first, "" for none
  std::string ignored_origin_;
};

}  // namespace lockstep::cli
