// RuleContext: the functions that rule evaluation needs, to run queries, store results and send
// alerts. They are called from several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/engine/values/value.h"
#include "rules/alerts/alert.h"
#include "rules/config/rule_group.h"
#include "rules/template/template.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::rules {

// When and how often alerts are sent, and how they survive a restart. Defaults are Prometheus'.
struct AlertTiming {
  milliseconds resend_delay{60'000};
  // Alerts that were active within this time before the restart are restored.
  milliseconds outage_tolerance{60 * 60'000};
  // Only alerts with a `for` of at least this are restored, and they fire no sooner than this after
  // that.
  milliseconds for_grace_period{10 * 60'000};
};

struct RuleContext {
  // Returns an instant vector; a scalar becomes a single element without labels.
  std::function<absl::StatusOr<engine::VectorResult>(std::string_view expression, int64_t time_ms)>
      query;
  // Blocks until the samples are stored; otherwise returns an error.
  std::function<absl::Status(const engine::VectorResult& samples)> write;
  // May be empty.
  std::function<void(const Rule& rule, std::vector<Alert> alerts)> tell;
  // The clock. If empty, the evaluation time is used.
  std::function<int64_t()> now_ms;
  const Storage* storage = nullptr;  // to restore alerts from; may be null
  // The configured external labels; may be empty.
  std::function<std::shared_ptr<const TextMap>()> external_labels;
  std::string external_url;
  AlertTiming timing;
};

// The alerts of `rule` for the result of its expression, with expanded templates. Returns
// kInvalidArgument if two of them have the same labels.
absl::StatusOr<std::vector<Alert>> FindAlerts(const Rule& rule,
                                              const engine::VectorResult& elements, int64_t time_ms,
                                              const RuleContext& context);

// The series that `rule` records for the result of its expression.
absl::StatusOr<engine::VectorResult> RecordedSeries(const Rule& rule, engine::VectorResult elements,
                                                    uint64_t limit);

}  // namespace lockstep::rules
