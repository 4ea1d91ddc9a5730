#include "storage/chunk/merge_columns.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "storage/chunk/column_walk.h"

namespace lockstep {
namespace {

void CopyRest(ColumnWalk& from, SampleColumns& out) {
  for (; !from.done(); from.Next()) from.CopyTo(out);
}

void Count(bool same, MergeCounts& counts) {
  ++(same ? counts.duplicate_count : counts.overwritten_count);
}

// Keeps the last of the samples at each time; `same` compares two of them. Precondition: stably
// sorted.
template <typename T, typename Same>
void KeepLast(std::vector<T>& samples, Same same, MergeCounts& counts) {
  size_t kept = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (kept > 0 && samples[kept - 1].timestamp_ms == samples[i].timestamp_ms) {
      Count(same(samples[kept - 1], samples[i]), counts);
      --kept;
    }
    if (kept != i) samples[kept] = std::move(samples[i]);
    ++kept;
  }
  samples.resize(kept);
}

template <typename T>
void SortByTime(std::vector<T>& samples) {
  std::stable_sort(samples.begin(), samples.end(),
                   [](const T& a, const T& b) { return a.timestamp_ms < b.timestamp_ms; });
}

struct Float {
  int64_t timestamp_ms = 0;
  double value = 0;
  int64_t start_timestamp_ms = 0;
};

bool SameFloats(const Float& a, const Float& b) {
  return SameBits(a.value, b.value) && a.start_timestamp_ms == b.start_timestamp_ms;
}

std::vector<Float> FloatsOf(std::span<const Sample> samples,
                            std::span<const int64_t> start_timestamps_ms) {
  std::vector<Float> floats;
  floats.reserve(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    floats.push_back({samples[i].timestamp_ms, samples[i].value,
                      start_timestamps_ms.empty() ? 0 : start_timestamps_ms[i]});
  }
  return floats;
}

}  // namespace

bool SameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool SameBits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) { return SameBits(x, y); });
}

bool SameBits(const Histogram& a, const Histogram& b) {
  return a.reset_hint == b.reset_hint && a.schema == b.schema &&
         SameBits(a.zero_threshold, b.zero_threshold) && SameBits(a.zero_count, b.zero_count) &&
         SameBits(a.count, b.count) && SameBits(a.sum, b.sum) &&
         a.positive_spans == b.positive_spans && a.negative_spans == b.negative_spans &&
         SameBits(a.positive_counts, b.positive_counts) &&
         SameBits(a.negative_counts, b.negative_counts) &&
         SameBits(a.custom_values, b.custom_values);
}

bool SameSamples(const HistogramSample& a, const HistogramSample& b) {
  return a.start_timestamp_ms == b.start_timestamp_ms && SameBits(*a.histogram, *b.histogram);
}

MergeCounts MergeColumns(const SampleColumns& older, const SampleColumns& newer,
                         SampleColumns& out) {
  out.Clear();
  out.timestamps_ms.reserve(older.values.size() + newer.values.size());
  out.values.reserve(older.values.size() + newer.values.size());
  MergeCounts counts;
  ColumnWalk a(older), b(newer);
  while (!a.done() && !b.done()) {
    if (a.time_ms() < b.time_ms()) {
      a.CopyTo(out);
      a.Next();
      continue;
    }
    if (a.time_ms() == b.time_ms()) {
      Count(a.SameValueAs(b), counts);
      a.Next();
    }
    b.CopyTo(out);
    b.Next();
  }
  CopyRest(a, out);
  CopyRest(b, out);
  return counts;
}

MergeCounts SortIntoColumns(std::span<const Sample> samples,
                            std::span<const int64_t> start_timestamps_ms,
                            std::span<const HistogramSample> histograms, SampleColumns& out) {
  MergeCounts counts;
  std::vector<Float> sorted = FloatsOf(samples, start_timestamps_ms);
  SortByTime(sorted);
  KeepLast(sorted, &SameFloats, counts);
  SampleColumns floats, others;
  for (const Float& sample : sorted) {
    floats.Append(sample.timestamp_ms, sample.value, sample.start_timestamp_ms);
  }
  others.histograms.assign(histograms.begin(), histograms.end());
  SortByTime(others.histograms);
  KeepLast(others.histograms, &SameSamples, counts);
  counts += MergeColumns(floats, others, out);
  return counts;
}

void AppendStarts(std::span<const int64_t> start_timestamps_ms, SampleColumns& to) {
  if (start_timestamps_ms.empty()) return;
  to.start_timestamps_ms.resize(to.values.size());
  to.start_timestamps_ms.insert(to.start_timestamps_ms.end(), start_timestamps_ms.begin(),
                                start_timestamps_ms.end());
}

void AppendInRange(const SampleColumns& from, TimeRange range, SampleColumns& to) {
  if (range.max_ms < range.min_ms) return;
  const ColumnsView part = ColumnsView(from).In(range);
  AppendStarts(part.start_timestamps_ms, to);
  to.timestamps_ms.insert(to.timestamps_ms.end(), part.timestamps_ms.begin(),
                          part.timestamps_ms.end());
  to.values.insert(to.values.end(), part.values.begin(), part.values.end());
  to.histograms.insert(to.histograms.end(), part.histograms.begin(), part.histograms.end());
}

void MoveFrom(SampleColumns& from, int64_t begin_ms, SampleColumns& to) {
  to.Clear();
  AppendInRange(from, {begin_ms, kAllTimes.max_ms}, to);
  const size_t float_count = from.values.size() - to.values.size();
  from.timestamps_ms.resize(float_count);
  from.values.resize(float_count);
  from.histograms.resize(from.histograms.size() - to.histograms.size());
  if (from.start_timestamps_ms.size() > float_count) from.start_timestamps_ms.resize(float_count);
}

TimeRange TimeRangeOf(const ColumnsView& columns) {
  TimeRange range{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  if (!columns.timestamps_ms.empty()) {
    range = {columns.timestamps_ms.front(), columns.timestamps_ms.back()};
  }
  if (!columns.histograms.empty()) {
    range.min_ms = std::min(range.min_ms, columns.histograms.front().timestamp_ms);
    range.max_ms = std::max(range.max_ms, columns.histograms.back().timestamp_ms);
  }
  return range;
}

}  // namespace lockstep
