// StoreQuerier: the Querier over all shards. Each label set is in only one shard, so results only
// have to be sorted.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/db/read/selected_series_set.h"
#include "storage/db/read/shard_view.h"
#include "storage/db/retention/retention_rules.h"
#include "storage/query.h"

namespace lockstep {

class StoreQuerier : public Querier {
 public:
  // Samples beyond the retention at `now_ms` are not returned. `retention` must outlive it; null:
  // all samples are returned.
  StoreQuerier(std::vector<ShardView> views, const RetentionRules* retention, int64_t now_ms)
      : views_(std::move(views)), retention_(retention), now_ms_(now_ms) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override;
  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override;
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const override;

 private:
  absl::Status SelectIn(uint32_t shard, const Selection& selection,
                        std::vector<ShardSeries>& all) const;

  const std::vector<ShardView> views_;
  const RetentionRules* const retention_;
  const int64_t now_ms_;
};

}  // namespace lockstep
