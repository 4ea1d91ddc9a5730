// Pushgateway paths: /metrics/job/NAME{/LABEL/VALUE}, where a label name may end with "@base64".
// Pure.
//
// Texts are percent-encoded, and '+' is a space, as Prometheus' clients send it. Source:
// prometheus/pushgateway, README, "URL".
#pragma once

#include <string_view>

#include "base/status.h"
#include "ingest/write/extra_labels.h"

namespace lockstep::api {

// Returns the grouping labels, including the job. Fails with kInvalidArgument if the path is
// invalid.
absl::StatusOr<ExtraLabels> ParseGroupPath(std::string_view path);

}  // namespace lockstep::api
