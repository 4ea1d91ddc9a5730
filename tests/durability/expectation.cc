#include "tests/durability/expectation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "storage/db/rows/window.h"

namespace lockstep {

Expectation::Expectation(uint64_t seed, int64_t life, const Batch& before)
    : seed_(seed), life_(life) {
  for (const auto& [labels, times] : before) {
    const int64_t oldest_ms = OldestMs(labels, life);
    for (auto at = times.lower_bound(oldest_ms); at != times.end(); ++at) {
      Expected& expected = series_[labels][at->first];
      expected.may_be_absent = false;
      expected.values = {at->second};
      expected.is_from_before = true;
    }
  }
}

void Expectation::Sent(const BatchName& name) {
  Sending& sending = sending_[name.writer];
  sending = {MakeBatch(seed_, name), {}, 0};
  if (deleting_.has_value()) sending.deletions.push_back(*deleting_);
}

void Expectation::Stored(const BatchName& name, const std::set<std::string>& rejected_series) {
  const Sending sending = std::move(sending_.extract(name.writer).mapped());
  for (const auto& [labels, times] : sending.batch) {
    const bool is_rejected = rejected_series.contains(std::string(labels.Get("series")));
    for (const auto& [time_ms, value] : times) {
      if (is_rejected) break;
      Expected& expected = series_[labels][time_ms];
      expected.may_be_absent = MayBeGone(sending, labels, time_ms);
      expected.values = {value};
      expected.doomed_count = 0;
      expected.was_overwritten = true;
    }
    if (!is_rejected) continue;
    for (const auto& [time_ms, expected] : series_[labels]) {
      if (expected.may_be_absent) continue;
      Fail("refused as a new series, and has samples: " + labels.ToString());
    }
  }
}

bool Expectation::MayBeGone(const Sending& sending, const LabelSet& labels, int64_t time_ms) const {
  if (time_ms < sending.dropped_before_ms) return true;
  return std::any_of(sending.deletions.begin(), sending.deletions.end(),
                     [&](const Deletion& deletion) {
                       return deletion.range.Contains(time_ms) && deletion.Concerns(labels);
                     });
}

template <typename Change>
void Expectation::ForEachIn(const Deletion& deletion, Change change) {
  for (auto& [labels, series] : series_) {
    if (!deletion.Concerns(labels)) continue;
    const auto end = series.upper_bound(deletion.range.max_ms);
    for (auto at = series.lower_bound(deletion.range.min_ms); at != end; ++at) change(at->second);
  }
}

void Expectation::Deleting(int64_t number) {
  deleting_ = MakeDeletion(seed_, life_, number);
  for (auto& [writer, sending] : sending_) sending.deletions.push_back(*deleting_);
  ForEachIn(*deleting_, [](Expected& expected) {
    expected.may_be_absent = true;
    expected.doomed_count = expected.values.size();
    expected.is_from_before = false;
  });
}

void Expectation::Deleted() {
  ForEachIn(*deleting_, [](Expected& expected) {
    const auto begin = expected.values.begin();
    expected.values.erase(begin, begin + static_cast<ptrdiff_t>(expected.doomed_count));
    expected.doomed_count = 0;
  });
  deleting_.reset();
}

void Expectation::Dropped(int64_t before_ms) {
  for (auto& [writer, sending] : sending_) sending.dropped_before_ms = before_ms;
  for (auto& [labels, series] : series_) {
    const auto end = series.lower_bound(before_ms);
    for (auto at = series.begin(); at != end; ++at) {
      Expected& expected = at->second;
      expected.may_be_absent = true;
      // What this life wrote may have been written after the drop.
      if (expected.is_from_before && !expected.was_overwritten) expected.values.clear();
      expected.is_from_before = false;
    }
  }
}

void Expectation::End() {
  for (const auto& [writer, sending] : sending_) {
    for (const auto& [labels, times] : sending.batch) {
      for (const auto& [time_ms, value] : times) {
        series_[labels][time_ms].values.push_back(value);
      }
    }
  }
  if (LimitOf(life_) != Limit::kBytes) return;
  // A drop is logged only afterwards. The oldest window is dropped first.
  const int64_t end_ms = EndOfOldestWindow();
  for (auto& [labels, series] : series_) {
    const auto end = series.lower_bound(end_ms);
    for (auto at = series.begin(); at != end; ++at) at->second.may_be_absent = true;
  }
}

// Considers only windows with samples from before this life: the current one is never dropped.
int64_t Expectation::EndOfOldestWindow() const {
  std::optional<int32_t> oldest;
  for (const auto& [labels, series] : series_) {
    for (const auto& [time_ms, expected] : series) {
      if (!expected.is_from_before) continue;
      oldest = std::min(oldest.value_or(WindowOf(time_ms)), WindowOf(time_ms));
      break;
    }
  }
  const int32_t last = WindowOf(NowMs(life_)) - 1;
  return RangeOfWindow(std::min(oldest.value_or(last), last)).max_ms + 1;
}

void Expectation::Check(const Batch& found) const {
  const Series nothing_expected;
  for (const auto& [labels, times] : found) {
    const auto series = series_.find(labels);
    CheckSeries(labels, series == series_.end() ? nothing_expected : series->second, times);
  }
  for (const auto& [labels, series] : series_) {
    if (!found.contains(labels)) CheckSeries(labels, series, {});
  }
}

void Expectation::CheckSeries(const LabelSet& labels, const Series& series,
                              const Times& found) const {
  for (const auto& [time_ms, expected] : series) {
    if (!expected.may_be_absent && !found.contains(time_ms)) {
      Fail(absl::StrFormat("acknowledged and lost: %s at %d", labels.ToString(), time_ms));
    }
  }
  for (const auto& [time_ms, value] : found) {
    const auto at = series.find(time_ms);
    if (at == series.end()) {
      Fail(absl::StrFormat("never sent, expired, or gone after an earlier death: %s at %d: %.17g",
                           labels.ToString(), time_ms, value));
    }
    const std::vector<double>& values = at->second.values;
    if (values.empty()) {
      Fail(absl::StrFormat("deleted and there again: %s at %d", labels.ToString(), time_ms));
    }
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      Fail(absl::StrFormat("%.17g instead of %.17g: %s at %d", value, values.front(),
                           labels.ToString(), time_ms));
    }
  }
}

bool Expectation::MayHaveBeenThere(const LabelSet& labels, int64_t time_ms) const {
  const auto series = series_.find(labels);
  return series != series_.end() && series->second.contains(time_ms);
}

}  // namespace lockstep
