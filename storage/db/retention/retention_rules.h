// RetentionRules: which series are kept for a shorter time than the others, by tenant, job and
// metric, that is, by family. Immutable and safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"

namespace lockstep {

inline constexpr size_t kMaxRetentionRules = 100;

// Series that match all matchers that are set are kept for this long.
struct RetentionRule {
  std::optional<Matcher> tenant;  // matches the tenant's name, "default" for the default tenant
  std::optional<Matcher> job;     // matches the label "job"
  std::optional<Matcher> metric;  // matches the metric name
  int64_t keep_ms = 0;
};

class RetentionRules {
 public:
  // No rules.
  explicit RetentionRules(int64_t retention_ms = 0) : retention_ms_(retention_ms) {}
  // kInvalidArgument if there are too many, or if one keeps nothing or keeps longer than
  // `retention_ms`, which applies to series that match no rule.
  static absl::StatusOr<RetentionRules> Make(std::vector<RetentionRule> rules,
                                             int64_t retention_ms);

  bool empty() const { return rules_.empty(); }
  // The time of the first rule that matches.
  int64_t KeepMs(const LabelSet& labels) const;
  int64_t retention_ms() const { return retention_ms_; }
  // No series is kept for less than this.
  int64_t ShortestKeepMs() const;

 private:
  std::vector<RetentionRule> rules_;
  int64_t retention_ms_;
};

// Caches the answers of rules, which must outlive it, for each family of one shard. Not
// thread-safe.
class FamilyRetention {
 public:
  explicit FamilyRetention(const RetentionRules& rules) : rules_(rules) {}

  // `labels` returns those of any series of the family; called only if the answer is not cached.
  int64_t KeepMs(uint32_t family, absl::FunctionRef<LabelSet()> labels);

 private:
  const RetentionRules& rules_;
  absl::flat_hash_map<uint32_t, int64_t> keep_ms_;
};

}  // namespace lockstep
