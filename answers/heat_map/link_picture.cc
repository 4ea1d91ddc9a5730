#include "answers/heat_map/link_picture.h"

#include <algorithm>
#include <optional>

namespace lockstep::answers {
namespace {

using training::CounterSeries;
using training::NetworkLink;

std::optional<PictureRow> RowOf(const training::Job& job, const NetworkLink& link) {
  std::optional<PictureRow> row;
  for (const training::RankPlace& place : job.ranks) {
    if (place.host != link.host) continue;
    if (!row.has_value()) row = PictureRow{link.host, link.device, place.rank, place.rank};
    row->first_rank = std::min(row->first_rank, place.rank);
    row->last_rank = std::max(row->last_rank, place.rank);
  }
  return row;
}

// A total that decreases was reset to zero in between.
void AddRates(const CounterSeries& total, size_t row, TimeBins& bins) {
  for (size_t i = 1; i < total.value.size(); ++i) {
    const int64_t since_ms = total.timestamp_ms[i] - total.timestamp_ms[i - 1];
    if (since_ms <= 0) continue;
    const double before = total.value[i] < total.value[i - 1] ? 0 : total.value[i - 1];
    bins.Add(row, total.timestamp_ms[i],
             (total.value[i] - before) * 1000 / static_cast<double>(since_ms));
  }
}

}  // namespace

LinkPicture LinkPictureOf(const LoadedJob& job, catalogue::Role role, size_t bins) {
  LinkPicture picture;
  std::vector<const CounterSeries*> totals;
  for (const NetworkLink& link : job.links) {
    if (link.kind == training::LinkKind::kNvlink || link[role].value.size() < 2) continue;
    const std::optional<PictureRow> row = RowOf(job.job, link);
    if (!row.has_value()) continue;
    picture.rows.push_back(*row);
    totals.push_back(&link[role]);
  }
  if (totals.empty()) return picture;
  TimeBins reduced(job.time, totals.size(), bins);
  for (size_t row = 0; row < totals.size(); ++row) AddRates(*totals[row], row, reduced);
  picture.bins = reduced.bins();
  picture.cells = reduced.TakeCells();
  return picture;
}

}  // namespace lockstep::answers
