#include "storage/chunk/chunk_row_reader.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/coding.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/histogram_series.h"
#include "storage/chunk/packed_integers.h"

namespace lockstep {
namespace {

absl::Status MalformedRow() { return absl::DataLossError("a chunk row is malformed"); }

bool GetRange(std::string_view& in, TimeRange& range) {
  const bool is_known =
      in.starts_with(kChunkRowVersion) || in.starts_with(kChunkRowVersionWithStarts);
  if (!is_known) return false;
  in.remove_prefix(1);
  uint64_t duration_ms = 0;
  if (!GetVarintSigned64(in, range.min_ms) || !GetVarint64(in, duration_ms)) return false;
  range.max_ms = static_cast<int64_t>(static_cast<uint64_t>(range.min_ms) + duration_ms);
  return range.min_ms <= range.max_ms;
}

bool GetSeries(std::string_view& in, uint64_t& series) {
  uint64_t head = 0;
  if (!GetVarint64(in, head)) return false;
  const uint64_t count = head / 2;
  if (count > kMaxRowSeries) return false;
  if (head % 2 != 0) {
    return GetVarint64(in, series) && std::popcount(series) == static_cast<int>(count);
  }
  series = count == 0 ? 0 : ~uint64_t{0} >> (64 - count);
  return true;
}

// How many of the series come before this one.
size_t RankOf(uint64_t series, uint32_t index_in_block) {
  return static_cast<size_t>(std::popcount(series & ((uint64_t{1} << index_in_block) - 1)));
}

// Of the samples from these indexes on.
bool ShareATime(const SampleColumns& columns, size_t float_begin, size_t histogram_begin) {
  const auto floats = std::span(columns.timestamps_ms).subspan(float_begin);
  const auto histograms = std::span(columns.histograms).subspan(histogram_begin);
  return std::ranges::any_of(histograms, [floats](const HistogramSample& sample) {
    return std::ranges::binary_search(floats, sample.timestamp_ms);
  });
}

bool Has(uint64_t series, uint32_t index_in_block) { return (series >> index_in_block & 1) != 0; }

}  // namespace

absl::StatusOr<TimeRange> ChunkRowRange(std::string_view value) {
  TimeRange range;
  if (!GetRange(value, range)) return MalformedRow();
  return range;
}

absl::Status ChunkRowReader::Open(std::string_view value) {
  times_.clear();
  has_starts_ = value.starts_with(kChunkRowVersionWithStarts);
  const bool is_whole = GetRange(value, range_) && GetFloats(value) && GetHistograms(value) &&
                        GetStarts(value) && value.empty() && series() != 0;
  return is_whole ? absl::OkStatus() : MalformedRow();
}

bool ChunkRowReader::GetTimes(std::string_view& in) {
  uint64_t column_count = 0;
  if (!GetVarint64(in, column_count) || column_count > kMaxRowSeries) return false;
  std::vector<int64_t> counts(column_count);
  if (!GetPackedIntegers(in, counts)) return false;
  time_counts_.clear();
  for (const int64_t count : counts) {
    if (count < 1 || static_cast<uint64_t>(count) > kMaxRowSamples) return false;
    time_counts_.push_back(static_cast<uint32_t>(count));
  }
  times_.resize(column_count);
  return time_columns_.Open(in, time_counts_);
}

bool ChunkRowReader::GetFloats(std::string_view& in) {
  if (!GetSeries(in, float_series_)) return false;
  column_of_series_.assign(static_cast<size_t>(std::popcount(float_series_)), 0);
  if (float_series_ == 0) return true;
  if (!GetTimes(in) || !GetPackedIntegers(in, column_of_series_)) return false;
  std::vector<uint32_t> counts;
  size_t samples_left = kMaxRowSamples;
  for (const int64_t column : column_of_series_) {
    if (column < 0 || static_cast<size_t>(column) >= time_counts_.size()) return false;
    counts.push_back(time_counts_[static_cast<size_t>(column)]);
    if (counts.back() > samples_left) return false;
    samples_left -= counts.back();
  }
  return values_.Open(in, counts);
}

bool ChunkRowReader::GetHistograms(std::string_view& in) {
  if (!GetSeries(in, histogram_series_)) return false;
  std::vector<int64_t> sizes(static_cast<size_t>(std::popcount(histogram_series_)));
  if (!GetPackedIntegers(in, sizes)) return false;
  histogram_ends_.clear();
  size_t end = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || static_cast<uint64_t>(size) > in.size() - end) return false;
    end += static_cast<size_t>(size);
    histogram_ends_.push_back(end);
  }
  histograms_ = in.substr(0, end);
  in.remove_prefix(end);
  return true;
}

bool ChunkRowReader::GetStarts(std::string_view& in) {
  start_series_ = 0;
  if (!has_starts_) return true;
  if (!GetSeries(in, start_series_)) return false;
  if (start_series_ == 0 || (start_series_ & ~float_series_) != 0) return false;
  std::vector<uint32_t> counts;
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    if (!Has(start_series_, index)) continue;
    const int64_t column = column_of_series_[RankOf(float_series_, index)];
    counts.push_back(time_counts_[static_cast<size_t>(column)]);
  }
  return starts_.Open(in, counts);
}

const std::vector<int64_t>* ChunkRowReader::Times(uint32_t index_in_block) {
  const auto column = static_cast<size_t>(column_of_series_[RankOf(float_series_, index_in_block)]);
  std::vector<int64_t>& times = times_[column];
  if (!times.empty()) return &times;
  std::vector<int64_t> read(time_counts_[column]);
  if (!time_columns_.Read(column, range_.min_ms, read)) return nullptr;
  const bool ascends = std::ranges::adjacent_find(read, std::greater_equal<>()) == read.end();
  if (!ascends || read.front() < range_.min_ms || read.back() > range_.max_ms) return nullptr;
  times = std::move(read);
  return &times;
}

std::string_view ChunkRowReader::HistogramBytes(uint32_t index_in_block) const {
  const size_t rank = RankOf(histogram_series_, index_in_block);
  const size_t begin = rank == 0 ? 0 : histogram_ends_[rank - 1];
  return histograms_.substr(begin, histogram_ends_[rank] - begin);
}

absl::StatusOr<TimeRange> ChunkRowReader::RangeOf(uint32_t index_in_block) {
  TimeRange range{range_.max_ms, range_.min_ms};
  if (Has(float_series_, index_in_block)) {
    const std::vector<int64_t>* const times = Times(index_in_block);
    if (times == nullptr) return MalformedRow();
    range = {times->front(), times->back()};
  }
  if (Has(histogram_series_, index_in_block)) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TimeRange histograms,
                              HistogramSeriesRange(HistogramBytes(index_in_block)));
    range.min_ms = std::min(range.min_ms, histograms.min_ms);
    range.max_ms = std::max(range.max_ms, histograms.max_ms);
  }
  return range;
}

bool ChunkRowReader::ReadFloats(uint32_t index_in_block, TimeRange range, SampleColumns& columns) {
  const std::vector<int64_t>* const times = Times(index_in_block);
  if (times == nullptr) return false;
  const auto first = std::lower_bound(times->begin(), times->end(), range.min_ms);
  const auto last = std::upper_bound(first, times->end(), range.max_ms);
  if (first == last) return true;
  const size_t size_before = columns.values.size();
  columns.values.resize(size_before + times->size());
  double* const values = columns.values.data() + size_before;
  if (!values_.Read(RankOf(float_series_, index_in_block), values)) {
    columns.values.resize(size_before);
    return false;
  }
  const auto count = static_cast<size_t>(last - first);
  if (first != times->begin()) std::copy_n(values + (first - times->begin()), count, values);
  columns.values.resize(size_before + count);
  columns.timestamps_ms.insert(columns.timestamps_ms.end(), first, last);
  return !Has(start_series_, index_in_block) ||
         ReadStarts(index_in_block, static_cast<size_t>(first - times->begin()), size_before,
                    columns);
}

bool ChunkRowReader::ReadStarts(uint32_t index_in_block, size_t begin, size_t floats_before,
                                SampleColumns& columns) {
  const size_t rank = RankOf(float_series_, index_in_block);
  std::vector<int64_t> starts(time_counts_[static_cast<size_t>(column_of_series_[rank])]);
  if (!starts_.Read(RankOf(start_series_, index_in_block), /*base=*/0, starts)) return false;
  const size_t count = columns.values.size() - floats_before;
  columns.start_timestamps_ms.resize(floats_before);
  const auto first = starts.begin() + static_cast<ptrdiff_t>(begin);
  columns.start_timestamps_ms.insert(columns.start_timestamps_ms.end(), first,
                                     first + static_cast<ptrdiff_t>(count));
  return true;
}

absl::Status ChunkRowReader::ReadHistograms(uint32_t index_in_block, TimeRange range,
                                            SampleColumns& columns) {
  std::string_view bytes = HistogramBytes(index_in_block);
  std::vector<HistogramSample> samples;
  LOCKSTEP_RETURN_IF_ERROR(DecodeHistogramSeries(bytes, samples));
  if (!bytes.empty()) return MalformedRow();
  for (HistogramSample& sample : samples) {
    if (range.Contains(sample.timestamp_ms)) columns.histograms.push_back(std::move(sample));
  }
  return absl::OkStatus();
}

absl::Status ChunkRowReader::Read(uint32_t index_in_block, TimeRange range,
                                  SampleColumns& columns) {
  if (range.max_ms < range.min_ms) return absl::OkStatus();
  const size_t floats_before = columns.values.size();
  const size_t histograms_before = columns.histograms.size();
  const size_t starts_before = columns.start_timestamps_ms.size();
  absl::Status status;
  if (Has(histogram_series_, index_in_block))
    status = ReadHistograms(index_in_block, range, columns);
  if (status.ok() && Has(float_series_, index_in_block) &&
      !ReadFloats(index_in_block, range, columns)) {
    status = MalformedRow();
  }
  if (status.ok() && ShareATime(columns, floats_before, histograms_before)) status = MalformedRow();
  if (status.ok()) return status;
  columns.timestamps_ms.resize(floats_before);
  columns.values.resize(floats_before);
  columns.histograms.resize(histograms_before);
  columns.start_timestamps_ms.resize(starts_before);
  return status;
}

}  // namespace lockstep
