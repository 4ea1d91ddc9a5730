// SeriesWalk: the series of several selections, one at a time, each with its samples, which are
// charged to a budget while they are there. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/query_budget.h"
#include "base/status.h"
#include "export/read_request.h"
#include "storage/storage.h"

namespace lockstep::api {

class SeriesWalk {
 public:
  enum class Repeats { kGiven, kLeftOut };  // series that an earlier selection has, too

  // The querier is of this walk; `budget` outlives it. With kLeftOut all queries have one time
  // range.
  SeriesWalk(std::vector<ReadQuery> queries, std::unique_ptr<Querier> querier, QueryBudget& budget,
             Repeats repeats)
      : queries_(std::move(queries)),
        querier_(std::move(querier)),
        budget_(budget),
        repeats_(repeats) {}

  // Moves to the next series that has samples; false behind the last one.
  absl::StatusOr<bool> Next();

  size_t query_index() const { return query_index_; }
  const LabelSet& labels() const { return series_->labels(); }
  const SampleColumns& samples() const { return samples_; }
  size_t query_count() const { return queries_.size(); }

 private:
  absl::Status Select();
  bool IsRepeated() const;
  // The samples of the one series that is there now.
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
