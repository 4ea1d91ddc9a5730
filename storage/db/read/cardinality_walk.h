// CardinalityWalk: counts the series of all shards for one answer (storage/cardinality.h).
//
// It iterates over targets and metrics, each with its number of series, not over series; with
// matchers, it iterates over the selected series once. It holds the shard's lock, shared with other
// readers, for some hundred targets or some thousand series at a time, so that the writer never
// waits longer than that. Series that come or go meanwhile may or may not be counted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "storage/cardinality.h"
#include "storage/db/state/shard_state.h"
#include "storage/index/cardinality.h"

namespace lockstep {

// Not thread-safe. Must not outlive the query's matchers.
class CardinalityWalk {
 public:
  CardinalityWalk(const CardinalityQuery& query, int64_t now_ms) : query_(query), now_ms_(now_ms) {}

  absl::Status Add(const ShardState& shard);
  CardinalityStats Take();

 private:
  using Churn = StringMap<ChurnCount>;

  void AddAll(const ShardState& shard);
  void AddSelected(const ShardState& shard, const std::vector<SeriesId>& ids);
  void AddChurn(const ShardState& shard);
  bool MatchesFamily(std::string_view tenant, std::string_view job, std::string_view metric) const;

  const CardinalityQuery query_;
  const int64_t now_ms_;
  CardinalityCounter counter_;
  CardinalityStats stats_;
  std::array<Churn, kChurnSpanCount> churn_by_job_;
  std::array<Churn, kChurnSpanCount> churn_by_metric_;
};

}  // namespace lockstep
