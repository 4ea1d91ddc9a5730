#include "ingest/otlp/translate/delta_totals.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::otlp {
namespace {

// Adjacent buckets, by the index of the first and one past the last.
struct BucketRange {
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();

  void Cover(const ExponentialBuckets& buckets, int merged_bits) {
    if (buckets.counts.empty()) return;
    const int64_t offset = buckets.offset;
    const int64_t last = offset + static_cast<int64_t>(buckets.counts.size()) - 1;
    begin = std::min(begin, offset >> merged_bits);
    end = std::max(end, (last >> merged_bits) + 1);
  }
};

// One side of a histogram, and how many bits to drop from its bucket indices.
struct Part {
  const ExponentialBuckets& buckets;
  int merged_bits;
};

BucketRange RangeOf(const Part& a, const Part& b, int more_bits) {
  BucketRange range;
  for (const Part& part : {a, b}) range.Cover(part.buckets, part.merged_bits + more_bits);
  return range;
}

// How many more bits to drop until the merged buckets are few enough.
int BitsTooMany(const Part& a, const Part& b) {
  int bits = 0;
  for (;; ++bits) {
    const BucketRange range = RangeOf(a, b, bits);
    if (range.begin >= range.end || range.end - range.begin <= kMaxTotalBuckets) return bits;
  }
}

ExponentialBuckets Merged(const Part& a, const Part& b, int more_bits) {
  const BucketRange range = RangeOf(a, b, more_bits);
  ExponentialBuckets merged;
  if (range.begin >= range.end) return merged;
  merged.offset = static_cast<int32_t>(range.begin);
  merged.counts.resize(static_cast<size_t>(range.end - range.begin));
  for (const Part& part : {a, b}) {
    const int bits = part.merged_bits + more_bits;
    for (size_t i = 0; i < part.buckets.counts.size(); ++i) {
      const int64_t number = (int64_t{part.buckets.offset} + static_cast<int64_t>(i)) >> bits;
      merged.counts[static_cast<size_t>(number - range.begin)] += part.buckets.counts[i];
    }
  }
  return merged;
}

// An index has no more bits to drop.
int MergedBits(int32_t from_scale, int32_t to_scale) {
  constexpr int64_t kMaxBits = 40;
  return static_cast<int>(std::min(int64_t{from_scale} - to_scale, kMaxBits));
}

void AddSum(const std::optional<double>& sum, std::optional<double>& total) {
  if (sum.has_value() && total.has_value()) {
    *total += *sum;
  } else {
    total.reset();
  }
}

// Each returns false, without changes, if the value cannot be added.
bool AddTo(double value, double& total) {
  total += value;
  return true;
}

bool AddTo(const HistogramValue& value, HistogramValue& total) {
  const bool is_like =
      value.bounds == total.bounds && value.bucket_counts.size() == total.bucket_counts.size();
  if (!is_like) return false;
  total.count += value.count;
  AddSum(value.sum, total.sum);
  for (size_t i = 0; i < total.bucket_counts.size(); ++i) {
    total.bucket_counts[i] += value.bucket_counts[i];
  }
  return true;
}

bool AddTo(const ExponentialHistogramValue& value, ExponentialHistogramValue& total) {
  if (value.zero_threshold != total.zero_threshold) return false;
  const int32_t scale = std::min(value.scale, total.scale);
  const int value_bits = MergedBits(value.scale, scale);
  const int total_bits = MergedBits(total.scale, scale);
  const Part positives[] = {{value.positive, value_bits}, {total.positive, total_bits}};
  const Part negatives[] = {{value.negative, value_bits}, {total.negative, total_bits}};
  const int more_bits =
      std::max(BitsTooMany(positives[0], positives[1]), BitsTooMany(negatives[0], negatives[1]));
  total.positive = Merged(positives[0], positives[1], more_bits);
  total.negative = Merged(negatives[0], negatives[1], more_bits);
  total.scale = scale - more_bits;
  total.count += value.count;
  total.zero_count += value.zero_count;
  AddSum(value.sum, total.sum);
  return true;
}

template <typename Value>
void Begin(const DataPoint& point, const Value& value, DeltaTotal& total) {
  total = {point.start_ns, point.time_ns, value};
}

template <typename Value>
absl::Status AddUpValue(DataPoint& point, Value& value, DeltaTotal& total) {
  if (point.time_ns < total.time_ns) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the delta is %d ms older than the last of its series and cannot be added",
                        (total.time_ns - point.time_ns) / 1'000'000));
  }
  Value* const sum = std::get_if<Value>(&total.value);
  if (sum == nullptr || total.time_ns == 0) {
    Begin(point, value, total);
  } else if (point.time_ns > total.time_ns) {
    if (!AddTo(value, *sum)) Begin(point, value, total);
    total.time_ns = point.time_ns;
  }
  value = std::get<Value>(total.value);
  point.start_ns = total.start_ns;
  return absl::OkStatus();
}

}  // namespace

absl::Status AddUp(NumberPoint& point, DeltaTotal& total) {
  return AddUpValue(point, point.value, total);
}

absl::Status AddUp(HistogramPoint& point, DeltaTotal& total) {
  return AddUpValue<HistogramValue>(point, point, total);
}

absl::Status AddUp(ExponentialHistogramPoint& point, DeltaTotal& total) {
  return AddUpValue<ExponentialHistogramValue>(point, point, total);
}

DeltaTotal& DeltaTotals::Change::Of(const SeriesKey& series) {
  const auto [at, is_new] = changed_.try_emplace(series);
  if (!is_new) return at->second;
  MutexLock lock(totals_.mutex_);
  const auto found = totals_.totals_.find(series);
  if (found != totals_.totals_.end()) at->second = found->second;
  return at->second;
}

void DeltaTotals::Change::Commit() {
  if (changed_.empty()) return;
  MutexLock lock(totals_.mutex_);
  totals_.MakeRoom(changed_.size());
  for (auto& [series, total] : changed_) {
    // A series without an accepted point has no total.
    if (total.time_ns != 0) totals_.totals_.insert_or_assign(series, std::move(total));
  }
  changed_.clear();
}

size_t DeltaTotals::size() const {
  MutexLock lock(mutex_);
  return totals_.size();
}

// Evicts the longest-silent quarter at once, because each eviction scans all series.
void DeltaTotals::MakeRoom(size_t count) {
  if (totals_.size() + count <= max_series_) return;
  std::vector<uint64_t> times_ns;
  times_ns.reserve(totals_.size());
  for (const auto& [series, total] : totals_) times_ns.push_back(total.time_ns);
  const size_t forgotten = std::min(times_ns.size(), std::max(count, max_series_ / 4));
  if (forgotten == 0) return;
  const auto newest = times_ns.begin() + static_cast<ptrdiff_t>(forgotten - 1);
  std::nth_element(times_ns.begin(), newest, times_ns.end());
  absl::erase_if(totals_, [limit_ns = *newest](const auto& entry) {
    return entry.second.time_ns <= limit_ns;
  });
}

}  // namespace lockstep::otlp
