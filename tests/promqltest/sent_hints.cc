#include "tests/promqltest/sent_hints.h"

#include <map>
#include <memory>
#include <utility>

namespace lockstep::promqltest {
namespace {

using CountsByIndex = std::map<int32_t, double>;

CountsByIndex Counts(const std::vector<BucketSpan>& spans, const std::vector<double>& counts) {
  CountsByIndex by_index;
  int32_t index = 0;
  size_t next = 0;
  for (const BucketSpan& span : spans) {
    index += span.offset;
    for (uint32_t i = 0; i < span.length; ++i) by_index[index++] = counts[next++];
  }
  return by_index;
}

bool AnyBucketFell(const CountsByIndex& before, const CountsByIndex& now) {
  for (const auto& [index, count] : before) {
    const auto found = now.find(index);
    if (count > (found == now.end() ? 0 : found->second)) return true;
  }
  return false;
}

// Whether `now` cannot continue the run of `before`.
bool EndsRun(const Histogram& before, const Histogram& now) {
  return now.reset_hint == CounterResetHint::kReset || now.schema != before.schema ||
         now.zero_threshold != before.zero_threshold || now.custom_values != before.custom_values ||
         now.count < before.count || now.zero_count < before.zero_count ||
         AnyBucketFell(Counts(before.positive_spans, before.positive_counts),
                       Counts(now.positive_spans, now.positive_counts)) ||
         AnyBucketFell(Counts(before.negative_spans, before.negative_counts),
                       Counts(now.negative_spans, now.negative_counts));
}

}  // namespace

void SetSentHints(SeriesWrite& series) {
  const Histogram* run = nullptr;  // the newest histogram of the run
  size_t next_float = 0;
  for (HistogramSample& sample : series.histograms) {
    for (; next_float < series.samples.size() &&
           series.samples[next_float].timestamp_ms < sample.timestamp_ms;
         ++next_float) {
      run = nullptr;
    }
    const Histogram& told = *sample.histogram;
    if (IsStaleNan(told.sum) || told.reset_hint == CounterResetHint::kGauge) {
      run = nullptr;
      continue;
    }
    auto sent = std::make_shared<Histogram>(told);
    const bool first = run == nullptr || EndsRun(*run, told);
    sent->reset_hint = first ? CounterResetHint::kUnknown : CounterResetHint::kNotReset;
    run = sent.get();
    sample.histogram = std::move(sent);
  }
}

}  // namespace lockstep::promqltest
