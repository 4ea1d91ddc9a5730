// RetentionRules: which series are kept for a shorter time than the others: by tenant, job and metric, which is
// by family. Immutable and safe from any thread.
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

// Series that match all that are there are kept so long.
struct RetentionRule {
  std::optional<Matcher> tenant;  // of the tenant's name, "default" for the default tenant's
  std::optional<Matcher> job;     // of the label "job"
  std::optional<Matcher> metric;  // of the metric name
  int64_t keep_ms = 0;
};

class RetentionRules {
 public:
  // Without any.
  explicit RetentionRules(int64_t retention_ms = 0) : retention_ms_(retention_ms) {}
  // kInvalidArgument if there are too many, or if one keeps nothing or longer than `retention_ms`, which
  // is for series that fit none.
  static absl::StatusOr<RetentionRules> Make(std::vector<RetentionRule> rules,
                                             int64_t retention_ms);

  bool empty() const { return rules_.empty(); }
  // Of the first rule that fits.
  int64_t KeepMs(const LabelSet& labels) const;
  int64_t retention_ms() const { return retention_ms_; }
  // No series is kept for less.
  int64_t ShortestKeepMs() const;

 private:
  std::vector<RetentionRule> rules_;
  int64_t retention_ms_;
};

// The answers of rules that must outlive it, kept for each family of one shard. Not thread-safe.
class FamilyRetention {
 public:
  explicit FamilyRetention(const RetentionRules& rules) : rules_(rules) {}

  // `labels` gives those of any series of the family; called if the answer is not known yet.
  int64_t KeepMs(uint32_t family, absl::FunctionRef<LabelSet()> labels);

 private:
  const RetentionRules& rules_;
  absl::flat_hash_map<uint32_t, int64_t> keep_ms_;
};

}  // namespace lockstep
