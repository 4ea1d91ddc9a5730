#include "storage/db/write/rejection.h"

#include <utility>

#include "model/tenant.h"
#include "storage/db/retention/retention_clock.h"

namespace lockstep {
namespace {

// In the largest unit that divides it: "15d", "36h", "1500ms".
std::string FormatDuration(int64_t duration_ms) {
  constexpr std::pair<int64_t, const char*> kUnits[] = {
      {24 * 60 * 60 * 1000, "d"}, {60 * 60 * 1000, "h"}, {60 * 1000, "m"}, {1000, "s"}};
  for (const auto& [unit_ms, name] : kUnits) {
    if (duration_ms % unit_ms == 0) return std::to_string(duration_ms / unit_ms) + name;
  }
  return std::to_string(duration_ms) + "ms";
}

std::string CountOf(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " sample is" : " samples are");
}

uint64_t LengthOf(const std::vector<BucketSpan>& spans) {
  uint64_t length = 0;
  for (const BucketSpan& span : spans) length += span.length;
  return length;
}

bool IsStorable(const Histogram* histogram) {
  if (histogram == nullptr) return false;
  const size_t numbers = histogram->positive_counts.size() + histogram->negative_counts.size() +
                         histogram->custom_values.size() +
                         2 * (histogram->positive_spans.size() + histogram->negative_spans.size());
  return numbers <= kMaxHistogramNumbers &&
         LengthOf(histogram->positive_spans) == histogram->positive_counts.size() &&
         LengthOf(histogram->negative_spans) == histogram->negative_counts.size();
}

std::string WhyNoSeries(SeriesLimit::Answer which_limit, const LabelSet& series,
                        const SeriesLimit& limit) {
  const SeriesLimits limits = limit.limits();
  switch (which_limit) {
    case SeriesLimit::Answer::kTaken:
      break;
    case SeriesLimit::Answer::kStoreIsFull:
      return "the store has reached its limit of " + std::to_string(limits.max_series) +
             " series (--storage.max-series)";
    case SeriesLimit::Answer::kTenantIsFull:
      return "the tenant \"" + std::string(IdOfTenant(TenantOf(series))) +
             "\" has reached its limit of " + std::to_string(limit.MaxSeriesOf(TenantOf(series))) +
             " series (tenants.limits)";
    case SeriesLimit::Answer::kJobIsFull:
      return "the job \"" + std::string(series.Get("job")) + "\" has reached its limit of " +
             std::to_string(limits.max_series_per_job) + " series (--ingest.max-series-per-job)";
    case SeriesLimit::Answer::kNoMemory:
      return "the memory for series is used up; the limit is " +
             std::to_string(limit.max_bytes() >> 20) + " MiB (--memory-limit)";
  }
  return "";
}

}  // namespace

std::string WhyUnstorable(const SeriesWrite& write) {
  if (write.labels.empty()) return "the series has no labels";
  if (write.labels.bytes().size() > kMaxLabelSetBytes) {
    return "the labels take " + std::to_string(write.labels.bytes().size()) +
           " bytes, more than the limit of " + std::to_string(kMaxLabelSetBytes);
  }
  const size_t start_count = write.start_timestamps_ms.size();
  if (start_count != 0 && start_count != write.samples.size()) {
    return "there are " + std::to_string(start_count) + " start timestamps for " +
           std::to_string(write.samples.size()) + " samples";
  }
  for (const HistogramSample& sample : write.histograms) {
    if (!IsStorable(sample.histogram.get())) {
      return "a histogram's spans and counts do not match, or it has more than " +
             std::to_string(kMaxHistogramNumbers) + " numbers";
    }
  }
  return "";
}

std::string WhyRejected(const SliceCounts& counts, int64_t keep_ms, const LabelSet& series,
                        const SeriesLimit& limit) {
  std::string why;
  const auto add = [&why](const std::string& reason) { why += (why.empty() ? "" : ", ") + reason; };
  if (counts.too_old > 0) {
    add(CountOf(counts.too_old) + " older than the retention of " + FormatDuration(keep_ms));
  }
  if (counts.too_new > 0) {
    add(CountOf(counts.too_new) + " more than " + FormatDuration(kMaxFutureMs) + " in the future");
  }
  if (counts.over_series_limit > 0) {
    add("the series is new, and " + WhyNoSeries(counts.which_limit, series, limit));
  }
  return why;
}

}  // namespace lockstep
