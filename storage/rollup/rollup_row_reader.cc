#include "storage/rollup/rollup_row_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "base/coding.h"
#include "storage/chunk/integers/packed_integers.h"
#include "storage/rollup/rollup_row_builder.h"

namespace lockstep {
namespace {

// The limit of a bucket's sample count: one sample per millisecond.
constexpr int64_t kMaxCount = kThinningBucketMs;

absl::Status Malformed() { return absl::DataLossError("a rollup row is malformed"); }

// How many of the series come before this one.
size_t RankOf(uint64_t series, uint32_t index_in_block) {
  return static_cast<size_t>(std::popcount(series & ((uint64_t{1} << index_in_block) - 1)));
}

bool Has(uint64_t series, uint32_t index_in_block) { return (series >> index_in_block & 1) != 0; }

bool CanBe(const BucketTimes& times) {
  for (size_t i = 0; i < times.size(); ++i) {
    const int64_t count = times.counts[i], first = times.firsts[i], last = times.lasts[i];
    if (count < 1 || count > kMaxCount || last < 0 || first >= kThinningBucketMs) return false;
    if (first - last < count - 1 || (count == 1 && first != last)) return false;
  }
  return true;
}

}  // namespace

absl::Status RollupRowReader::Open(std::string_view value, int64_t begin_ms) {
  begin_ms_ = begin_ms;
  if (value.empty() || value.front() != kRollupRowVersion) return Malformed();
  value.remove_prefix(1);
  const bool is_whole = GetSeries(value) && GetTimes(value) && GetValues(value) && value.empty();
  return is_whole ? absl::OkStatus() : Malformed();
}

bool RollupRowReader::GetSeries(std::string_view& in) {
  return GetVarint64(in, rolled_up_) && GetVarint64(in, raw_) && GetVarint64(in, ascending_) &&
         rolled_up_ != 0 && (rolled_up_ & raw_) == 0 && (ascending_ & ~rolled_up_) == 0;
}

bool RollupRowReader::GetTimes(std::string_view& in) {
  uint64_t column_count = 0;
  if (!GetVarint64(in, column_count) || column_count > kMaxRollupSeries) return false;
  times_.assign(column_count, {});
  std::vector<uint32_t> counts;
  for (Times& times : times_) {
    if (!GetVarint64(in, times.buckets) || times.buckets >> kRollupBuckets != 0) return false;
    times.count = static_cast<uint32_t>(std::popcount(times.buckets));
    if (times.count == 0) return false;
    counts.push_back(times.count);
  }
  if (!counts_.Open(in, counts) || !firsts_.Open(in, counts) || !lasts_of_times_.Open(in, counts)) {
    return false;
  }
  column_of_series_.resize(static_cast<size_t>(std::popcount(rolled_up_)));
  if (!GetPackedIntegers(in, column_of_series_)) return false;
  return std::ranges::all_of(column_of_series_, [this](int64_t column) {
    return column >= 0 && static_cast<size_t>(column) < times_.size();
  });
}

bool RollupRowReader::GetValues(std::string_view& in) {
  std::vector<uint32_t> all, of_falling;
  size_t rank = 0;
  for (uint32_t index = 0; index < kMaxRollupSeries; ++index) {
    if (!Has(rolled_up_, index)) continue;
    all.push_back(times_[static_cast<size_t>(column_of_series_[rank++])].count);
    if (!Ascends(index)) of_falling.push_back(all.back());
  }
  if (!lows_.Open(in, all) || !highs_.Open(in, all)) return false;
  return of_falling.empty() || lasts_.Open(in, of_falling);
}

bool RollupRowReader::Answers(uint32_t index_in_block, SamplesNeeded needed) const {
  if (Has(raw_, index_in_block)) return false;
  if (!Has(rolled_up_, index_in_block)) return true;
  switch (needed) {
    case SamplesNeeded::kAll:
    case SamplesNeeded::kNewest:
      return false;
    case SamplesNeeded::kFirst:
    case SamplesNeeded::kEnds:
      return Ascends(index_in_block);
    case SamplesNeeded::kCount:
    case SamplesNeeded::kLast:
    case SamplesNeeded::kLowest:
    case SamplesNeeded::kHighest:
      return true;
  }
  return false;
}

const RollupRowReader::Times* RollupRowReader::TimesOf(size_t column) {
  Times& times = times_[column];
  if (times.is_read) return &times;
  BucketTimes& read = times.read;
  for (const auto field : {&BucketTimes::counts, &BucketTimes::firsts, &BucketTimes::lasts}) {
    (read.*field).resize(times.count);
  }
  if (!counts_.Read(column, 0, read.counts) || !firsts_.Read(column, 0, read.firsts) ||
      !lasts_of_times_.Read(column, 0, read.lasts) || !CanBe(read)) {
    return nullptr;
  }
  read.buckets = times.buckets;
  times.is_read = true;
  return &times;
}

// The buckets that end in the range.
RollupRowReader::Slice RollupRowReader::SliceOf(const Times& times, TimeRange range) const {
  const auto count_before = [&](int64_t time_ms) -> size_t {  // buckets that end before it
    if (time_ms <= begin_ms_) return 0;
    const auto buckets = (time_ms - begin_ms_ - 1) / kThinningBucketMs + 1;
    if (buckets >= kRollupBuckets) return times.count;
    return static_cast<size_t>(std::popcount(times.buckets & ((uint64_t{1} << buckets) - 1)));
  };
  const int64_t end_ms = begin_ms_ + kRollupWindowMs;
  // The window's last bucket ends after it.
  const size_t end = range.max_ms >= end_ms - 1 ? times.count : count_before(range.max_ms + 1);
  return {std::min(end, count_before(range.min_ms)), end};
}

bool RollupRowReader::ReadValues(ValueColumnsReader& reader, size_t series, size_t count,
                                 std::vector<double>& values) const {
  values.resize(count);
  return reader.ReadFirst(series, values) &&
         std::ranges::none_of(values, [](double value) { return std::isnan(value); });
}

bool RollupRowReader::ReadOneEach(uint32_t index_in_block, SamplesNeeded needed, const Times& times,
                                  Slice slice, SampleColumns& columns) {
  const size_t series = RankOf(rolled_up_, index_in_block);
  const bool at_first = needed == SamplesNeeded::kFirst;
  const bool is_low = at_first || needed == SamplesNeeded::kLowest;
  if (needed == SamplesNeeded::kCount) {
    values_.assign(times.count, 0);
  } else if (needed == SamplesNeeded::kLast && !Ascends(index_in_block)) {
    const size_t falling = RankOf(rolled_up_ & ~ascending_, index_in_block);
    if (!ReadValues(lasts_, falling, times.count, values_)) return false;
  } else if (!ReadValues(is_low ? lows_ : highs_, series, times.count, values_)) {
    return false;
  }
  size_t i = 0;
  for (uint64_t left = times.buckets; left != 0; left &= left - 1, ++i) {
    if (i < slice.begin || i >= slice.end) continue;
    const int64_t end_ms = begin_ms_ + std::countr_zero(left) * kThinningBucketMs;
    columns.Append(end_ms - (at_first ? times.read.firsts[i] : times.read.lasts[i]), values_[i]);
    columns.left_out.push_back(static_cast<uint32_t>(times.read.counts[i] - 1));
  }
  return true;
}

bool RollupRowReader::ReadEnds(uint32_t index_in_block, const Times& times, Slice slice,
                               SampleColumns& columns) {
  const size_t series = RankOf(rolled_up_, index_in_block);
  if (!ReadValues(lows_, series, times.count, values_) ||
      !ReadValues(highs_, series, times.count, more_values_)) {
    return false;
  }
  size_t i = 0;
  for (uint64_t left = times.buckets; left != 0; left &= left - 1, ++i) {
    if (i < slice.begin || i >= slice.end) continue;
    const int64_t end_ms = begin_ms_ + std::countr_zero(left) * kThinningBucketMs;
    columns.Append(end_ms - times.read.firsts[i], values_[i]);
    columns.left_out.push_back(0);
    if (times.read.counts[i] == 1) continue;
    columns.Append(end_ms - times.read.lasts[i], more_values_[i]);
    columns.left_out.push_back(static_cast<uint32_t>(times.read.counts[i] - 2));
  }
  return true;
}

absl::Status RollupRowReader::Read(uint32_t index_in_block, SamplesNeeded needed, TimeRange range,
                                   SampleColumns& columns) {
  if (!Has(rolled_up_, index_in_block) || range.max_ms < range.min_ms) return absl::OkStatus();
  const size_t series = RankOf(rolled_up_, index_in_block);
  const Times* const times = TimesOf(static_cast<size_t>(column_of_series_[series]));
  if (times == nullptr) return Malformed();
  const Slice slice = SliceOf(*times, range);
  if (slice.begin == slice.end) return absl::OkStatus();
  columns.left_out.resize(columns.values.size());
  const bool is_read = needed == SamplesNeeded::kEnds
                           ? ReadEnds(index_in_block, *times, slice, columns)
                           : ReadOneEach(index_in_block, needed, *times, slice, columns);
  return is_read ? absl::OkStatus() : Malformed();
}

}  // namespace lockstep
