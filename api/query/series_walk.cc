#include "api/query/series_walk.h"

#include <algorithm>
#include <utility>

namespace lockstep::api {

absl::StatusOr<bool> SeriesWalk::Next() {
  for (;;) {
    if (series_ == nullptr) {
      if (query_index_ == queries_.size()) return false;
      LOCKSTEP_RETURN_IF_ERROR(Select());
    }
    while (series_->Next()) {
      LOCKSTEP_RETURN_IF_ERROR(budget_.Check());
      if (IsRepeated()) continue;
      samples_.Clear();
      LOCKSTEP_RETURN_IF_ERROR(series_->Read(samples_));
      LOCKSTEP_RETURN_IF_ERROR(ChargeSeries());
      if (samples_.size() > 0) return true;
    }
    LOCKSTEP_RETURN_IF_ERROR(series_->status());
    series_ = nullptr;
    ++query_index_;
  }
}

absl::Status SeriesWalk::Select() {
  const ReadQuery& query = queries_[query_index_];
  LOCKSTEP_ASSIGN_OR_RETURN(
      series_,
      querier_->Select({.matchers = query.matchers, .range = query.range, .budget = &budget_}));
  return absl::OkStatus();
}

bool SeriesWalk::IsRepeated() const {
  if (repeats_ == Repeats::kGiven) return false;
  const LabelSet& labels = series_->labels();
  const auto has_it = [&labels](const ReadQuery& query) {
    return std::ranges::all_of(query.matchers, [&labels](const Matcher& matcher) {
      return matcher.Matches(labels.Get(matcher.name()));
    });
  };
  return std::any_of(queries_.begin(), queries_.begin() + static_cast<ptrdiff_t>(query_index_),
                     has_it);
}

absl::Status SeriesWalk::ChargeSeries() {
  budget_.Release(std::exchange(charged_samples_, 0));
  const auto count = static_cast<int64_t>(samples_.size());
  LOCKSTEP_RETURN_IF_ERROR(budget_.Charge(count));
  charged_samples_ = count;
  return absl::OkStatus();
}

}  // namespace lockstep::api
