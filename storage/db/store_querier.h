// StoreQuerier: the Querier over all shards. Series of one label set are in one shard, so results
// only have to be put in order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/db/retention_rules.h"
#include "storage/db/selected_series_set.h"
#include "storage/db/shard_view.h"
#include "storage/storage.h"

namespace lockstep {

class StoreQuerier : public Querier {
 public:
  // Samples that are beyond the retention at `now_ms` are not given out. `retention` must outlive it;
  // null: all are.
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
