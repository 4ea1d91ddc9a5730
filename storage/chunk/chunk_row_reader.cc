#include "storage/chunk/chunk_row_reader.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/coding.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/histogram_series.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {

// A picked float costs about as much as this many neighbours.
constexpr size_t kFloatsPerPicked = 4;

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

// Whether a float and a histogram share a time, from these indexes on.
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
  has_starts_ = value.starts_with(kChunkRowVersionWithStarts);
  const bool is_whole = GetRange(value, range_) && GetFloats(value) && GetHistograms(value) &&
                        GetStarts(value) && value.empty() && series() != 0;
  return is_whole ? absl::OkStatus() : MalformedRow();
}

bool ChunkRowReader::GetTimes(std::string_view& in) {
  uint64_t column_count = 0;
  if (!GetVarint64(in, column_count) || column_count > kMaxRowSeries) return false;
  integers_.resize(column_count);
  if (!GetPackedIntegers(in, integers_)) return false;
  time_counts_.clear();
  for (const int64_t count : integers_) {
    if (count < 1 || static_cast<uint64_t>(count) > kMaxRowSamples) return false;
    time_counts_.push_back(static_cast<uint32_t>(count));
  }
  times_.resize(column_count);
  for (std::vector<int64_t>& times : times_) times.clear();
  picked_.resize(column_count);
  for (Picked& picked : picked_) picked.is_known = false;
  return time_columns_.Open(in, time_counts_);
}

bool ChunkRowReader::GetFloats(std::string_view& in) {
  if (!GetSeries(in, float_series_)) return false;
  column_of_series_.assign(static_cast<size_t>(std::popcount(float_series_)), 0);
  if (float_series_ == 0) return true;
  if (!GetTimes(in) || !GetPackedIntegers(in, column_of_series_)) return false;
  counts_.clear();
  size_t samples_left = kMaxRowSamples;
  for (const int64_t column : column_of_series_) {
    if (column < 0 || static_cast<size_t>(column) >= time_counts_.size()) return false;
    counts_.push_back(time_counts_[static_cast<size_t>(column)]);
    if (counts_.back() > samples_left) return false;
    samples_left -= counts_.back();
  }
  return values_.Open(in, counts_);
}

bool ChunkRowReader::GetHistograms(std::string_view& in) {
  if (!GetSeries(in, histogram_series_)) return false;
  integers_.resize(static_cast<size_t>(std::popcount(histogram_series_)));
  if (!GetPackedIntegers(in, integers_)) return false;
  histogram_ends_.clear();
  size_t end = 0;
  for (const int64_t size : integers_) {
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
  counts_.clear();
  for (uint32_t index = 0; index < kMaxRowSeries; ++index) {
    if (!Has(start_series_, index)) continue;
    const int64_t column = column_of_series_[RankOf(float_series_, index)];
    counts_.push_back(time_counts_[static_cast<size_t>(column)]);
  }
  return starts_.Open(in, counts_);
}

const std::vector<int64_t>* ChunkRowReader::Times(uint32_t index_in_block) {
  const auto column = static_cast<size_t>(column_of_series_[RankOf(float_series_, index_in_block)]);
  std::vector<int64_t>& times = times_[column];
  if (!times.empty()) return &times;
  times.resize(time_counts_[column]);
  if (time_columns_.Read(column, range_.min_ms, times)) {
    const bool ascends = std::ranges::adjacent_find(times, std::greater_equal<>()) == times.end();
    if (ascends && times.front() >= range_.min_ms && times.back() <= range_.max_ms) return &times;
  }
  times.clear();
  return nullptr;
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

const std::vector<uint32_t>& ChunkRowReader::Pick(size_t column, TimeRange range, StepTimes steps) {
  Picked& picked = picked_[column];
  if (picked.is_known && picked.range == range && picked.steps == steps) return picked.indexes;
  picked = {true, range, steps, std::move(picked.indexes)};
  picked.indexes.clear();
  const std::vector<int64_t>& times = times_[column];
  auto at = std::lower_bound(times.begin(), times.end(), range.min_ms);
  const auto end = std::upper_bound(at, times.end(), range.max_ms);
  while (at != end) {
    at = std::upper_bound(at, end, steps.NotBefore(*at));
    picked.indexes.push_back(static_cast<uint32_t>(at - times.begin() - 1));
  }
  return picked.indexes;
}

bool ChunkRowReader::ReadPicked(uint32_t index_in_block, const std::vector<uint32_t>& indexes,
                                SampleColumns& columns) {
  if (indexes.empty()) return true;
  const size_t rank = RankOf(float_series_, index_in_block);
  values_read_.resize(indexes.back() + size_t{1});
  if (!values_.ReadFirst(rank, values_read_)) return false;
  const std::vector<int64_t>& times = times_[static_cast<size_t>(column_of_series_[rank])];
  for (const uint32_t index : indexes) columns.Append(times[index], values_read_[index]);
  return true;
}

bool ChunkRowReader::ReadFloats(uint32_t index_in_block, TimeRange range, StepTimes steps,
                                SampleColumns& columns) {
  const std::vector<int64_t>* const times = Times(index_in_block);
  if (times == nullptr) return false;
  if (!steps.empty() && !Has(start_series_, index_in_block)) {
    const auto column = static_cast<size_t>(times - times_.data());
    const std::vector<uint32_t>& indexes = Pick(column, range, steps);
    if (indexes.size() * kFloatsPerPicked <= times->size()) {
      return ReadPicked(index_in_block, indexes, columns);
    }
  }
  const auto first = std::lower_bound(times->begin(), times->end(), range.min_ms);
  const auto last = std::upper_bound(first, times->end(), range.max_ms);
  if (first == last) return true;
  const size_t size_before = columns.values.size();
  const auto read_count = static_cast<size_t>(last - times->begin());
  columns.values.resize(size_before + read_count);
  const std::span values = std::span(columns.values).subspan(size_before);
  if (!values_.ReadFirst(RankOf(float_series_, index_in_block), values)) {
    columns.values.resize(size_before);
    return false;
  }
  const auto count = static_cast<size_t>(last - first);
  if (first != times->begin()) std::copy_n(values.end() - (last - first), count, values.begin());
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

absl::Status ChunkRowReader::Read(uint32_t index_in_block, TimeRange range, StepTimes steps,
                                  SampleColumns& columns) {
  if (range.max_ms < range.min_ms) return absl::OkStatus();
  const size_t floats_before = columns.values.size();
  const size_t histograms_before = columns.histograms.size();
  const size_t starts_before = columns.start_timestamps_ms.size();
  absl::Status status;
  if (Has(histogram_series_, index_in_block))
    status = ReadHistograms(index_in_block, range, columns);
  if (status.ok() && Has(float_series_, index_in_block) &&
      !ReadFloats(index_in_block, range, steps, columns)) {
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
