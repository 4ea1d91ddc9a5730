// The paths of a Pushgateway: /metrics/job/NAME{/LABEL/VALUE}, where the name of a label may end
// with "@base64". Pure.
//
// Texts are percent-encoded, and '+' is a space, as the clients of Prometheus send it. Source:
// prometheus/pushgateway, README, "URL".
#pragma once

#include <string_view>

#include "base/status.h"
#include "ingest/extra_labels.h"

namespace lockstep::api {

// The grouping labels, the job among them. kInvalidArgument: it is no such path.
absl::StatusOr<ExtraLabels> ParseGroupPath(std::string_view path);

}  // namespace lockstep::api
