#include "storage/db/read/store_querier.h"

#include <algorithm>
#include <iterator>

#include "storage/db/read/label_order.h"

namespace lockstep {
namespace {

void MergeInto(std::vector<std::string>& all, std::vector<std::string> more) {
  if (all.empty()) {
    all = std::move(more);
    return;
  }
  std::vector<std::string> merged;
  std::set_union(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()),
                 std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()),
                 std::back_inserter(merged));
  all = std::move(merged);
}

// Sorts by labels.
std::vector<ShardSeries> InOrder(std::vector<ShardSeries> all) {
  std::vector<const LabelSet*> labels;
  labels.reserve(all.size());
  for (const ShardSeries& series : all) labels.push_back(&series.series.labels);
  std::vector<ShardSeries> sorted;
  sorted.reserve(all.size());
  for (const uint32_t i : OrderByLabels(labels)) {
    sorted.push_back(std::move(all[i]));
    sorted.back().position = sorted.size() - 1;
  }
  return sorted;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeriesSet>> StoreQuerier::Select(const Selection& selection) const {
  Selection kept = selection;
  if (retention_ != nullptr) {
    kept.range.min_ms = std::max(kept.range.min_ms, now_ms_ - retention_->retention_ms());
  }
  std::vector<ShardSeries> all;
  for (uint32_t shard = 0; shard < views_.size(); ++shard) {
    LOCKSTEP_RETURN_IF_ERROR(SelectIn(shard, kept, all));
  }
  return std::make_unique<SelectedSeriesSet>(views_, InOrder(std::move(all)), kept);
}

absl::Status StoreQuerier::SelectIn(uint32_t shard, const Selection& selection,
                                    std::vector<ShardSeries>& all) const {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<SelectedSeries> found, views_[shard].Select(selection));
  if (retention_ == nullptr || retention_->empty()) {
    for (SelectedSeries& series : found) all.push_back({std::move(series), shard});
    return absl::OkStatus();
  }
  FamilyRetention families(*retention_);
  for (SelectedSeries& series : found) {
    const int64_t oldest_ms =
        now_ms_ - families.KeepMs(series.place.family, [&series] { return series.labels; });
    if (oldest_ms > selection.range.max_ms) continue;
    all.push_back({std::move(series), shard, oldest_ms});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> StoreQuerier::LabelNames(
    const Selection& selection) const {
  std::vector<std::string> all;
  for (const ShardView& view : views_) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> names, view.LabelNames(selection));
    MergeInto(all, std::move(names));
  }
  return all;
}

absl::StatusOr<std::vector<std::string>> StoreQuerier::LabelValues(
    std::string_view name, const Selection& selection) const {
  std::vector<std::string> all;
  for (const ShardView& view : views_) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> values, view.LabelValues(name, selection));
    MergeInto(all, std::move(values));
  }
  return all;
}

}  // namespace lockstep
