// StoreQuerier: the Querier over all shards. Series of one label set are in one shard, so results
// only have to be put in order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/db/shard_view.h"
#include "storage/storage.h"

namespace lockstep {

class StoreQuerier : public Querier {
 public:
  // Samples before `oldest_ms` are beyond the retention and not given out.
  StoreQuerier(std::vector<ShardView> views, int64_t oldest_ms)
      : views_(std::move(views)), oldest_ms_(oldest_ms) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override;
  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override;
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const override;

 private:
  const std::vector<ShardView> views_;
  const int64_t oldest_ms_;
};

}  // namespace lockstep
