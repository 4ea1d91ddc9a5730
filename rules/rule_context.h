// RuleContext: what rules are evaluated with: someone who answers queries, someone who keeps what comes of them,
// someone who hears of alerts. Its functions are called from several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/engine/value.h"
#include "rules/alert.h"
#include "rules/config/rule_group.h"
#include "rules/template/template.h"
#include "storage/storage.h"

namespace lockstep::rules {

// When and how often alerts are told of, and how they survive a restart. Defaults are Prometheus'.
struct AlertTiming {
  milliseconds resend_delay{60'000};
  // Alerts that were active no longer than this ago go on where they were.
  milliseconds outage_tolerance{60 * 60'000};
  // Only alerts with a `for` of at least this are restored, and they fire no sooner than this after it.
  milliseconds for_grace_period{10 * 60'000};
};

struct RuleContext {
  // An instant vector; a scalar is one of a single element without labels.
  std::function<absl::StatusOr<engine::VectorResult>(std::string_view expression, int64_t time_ms)>
      query;
  // Returns when the samples are stored, or why they are not.
  std::function<absl::Status(const engine::VectorResult& samples)> write;
  // May be empty.
  std::function<void(const Rule& rule, std::vector<Alert> alerts)> tell;
  // The clock. May be empty: then it is always the time as of which is evaluated.
  std::function<int64_t()> now_ms;
  const Storage* storage = nullptr;  // where alerts are restored from; null: they are not
  // Those of the configuration; may be empty.
  std::function<std::shared_ptr<const TextMap>()> external_labels;
  std::string external_url;
  AlertTiming timing;
};

// What alerts of `rule` there are by the answer to its expression, their templates expanded.
// kInvalidArgument if two of them have the same labels.
absl::StatusOr<std::vector<Alert>> FindAlerts(const Rule& rule,
                                              const engine::VectorResult& elements, int64_t time_ms,
                                              const RuleContext& context);

// The series that `rule` makes of the answer to its expression.
absl::StatusOr<engine::VectorResult> RecordedSeries(const Rule& rule, engine::VectorResult elements,
                                                    uint64_t limit);

}  // namespace lockstep::rules
