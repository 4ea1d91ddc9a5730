// SeriesWalk: iterates over the series of several selections. The samples of the current series are
// charged to a budget. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "export/read_request.h"
#include "storage/query.h"

namespace lockstep::api {

class SeriesWalk {
 public:
  enum class Repeats { kGiven, kLeftOut };  // series that an earlier selection also returned

  // Takes ownership of the querier; `budget` must outlive the walk. With kLeftOut, all queries must
  // have the same time range.
  SeriesWalk(std::vector<ReadQuery> queries, std::unique_ptr<Querier> querier, QueryBudget& budget,
             Repeats repeats)
      : queries_(std::move(queries)),
        querier_(std::move(querier)),
        budget_(budget),
        repeats_(repeats) {}

  // Moves to the next series that has samples; returns false after the last one.
  absl::StatusOr<bool> Next();

  size_t query_index() const { return query_index_; }
  const LabelSet& labels() const { return series_->labels(); }
  const SampleColumns& samples() const { return samples_; }
  size_t query_count() const { return queries_.size(); }

 private:
  absl::Status Select();
  bool IsRepeated() const;
  // Charges the samples of the current series.
  absl::Status ChargeSeries();

  std::vector<ReadQuery> queries_;
  std::unique_ptr<Querier> querier_;
  QueryBudget& budget_;
  Repeats repeats_;
  std::unique_ptr<SeriesSet> series_;  // of the current query
  size_t query_index_ = 0;
  SampleColumns samples_;
  int64_t charged_samples_ = 0;
};

}  // namespace lockstep::api
