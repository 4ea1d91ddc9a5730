#include "storage/chunk/chunk_row_builder.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/coding.h"
#include "storage/chunk/histogram_series.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {

void PutSeries(std::string& out, uint64_t series) {
  const int count = std::popcount(series);
  const bool has_others = std::countr_one(series) != count;
  PutVarint64(out, static_cast<uint64_t>(count) * 2 + (has_others ? 1 : 0));
  if (has_others) PutVarint64(out, series);
}

}  // namespace

void ChunkRowBuilder::Add(uint32_t index_in_block, ColumnsView samples) {
  LOCKSTEP_CHECK(samples.size() >= 1 && samples.size() <= kMaxRowSamples - sample_count_);
  LOCKSTEP_CHECK(index_in_block < kMaxRowSeries);
  LOCKSTEP_CHECK((float_series_ | histogram_series_) >> index_in_block == 0);
  const auto cover = [this](int64_t first_ms, int64_t last_ms) {
    range_.min_ms = sample_count_ == 0 ? first_ms : std::min(range_.min_ms, first_ms);
    range_.max_ms = sample_count_ == 0 ? last_ms : std::max(range_.max_ms, last_ms);
  };
  if (!samples.values.empty()) {
    cover(samples.timestamps_ms.front(), samples.timestamps_ms.back());
    sample_count_ += samples.values.size();
    AddFloats(index_in_block, samples);
  }
  if (!samples.histograms.empty()) {
    cover(samples.histograms.front().timestamp_ms, samples.histograms.back().timestamp_ms);
    sample_count_ += samples.histograms.size();
    histogram_series_ |= uint64_t{1} << index_in_block;
    const size_t size_before = histograms_.size();
    EncodeHistogramSeries(histograms_, samples.histograms);
    histogram_sizes_.push_back(static_cast<int64_t>(histograms_.size() - size_before));
  }
}

void ChunkRowBuilder::AddFloats(uint32_t index_in_block, ColumnsView samples) {
  LOCKSTEP_CHECK(samples.timestamps_ms.size() == samples.values.size());
  float_series_ |= uint64_t{1} << index_in_block;
  time_columns_.push_back(static_cast<int64_t>(TimeColumn(samples.timestamps_ms)));
  values_.Add(samples.values);
  const auto is_known = [](int64_t start_ms) { return start_ms != 0; };
  if (std::ranges::none_of(samples.start_timestamps_ms, is_known)) return;
  start_series_ |= uint64_t{1} << index_in_block;
  std::vector<int64_t> starts(samples.start_timestamps_ms.begin(),
                              samples.start_timestamps_ms.end());
  starts.resize(samples.values.size());
  starts_.Add(starts);
}

size_t ChunkRowBuilder::TimeColumn(std::span<const int64_t> timestamps_ms) {
  // Neighbours are often scraped together, so the newest column is the most likely match.
  for (size_t column = time_column_count_; column-- > 0;) {
    if (std::ranges::equal(times_[column], timestamps_ms)) return column;
  }
  LOCKSTEP_CHECK(std::ranges::adjacent_find(timestamps_ms, std::ranges::greater_equal()) ==
                 timestamps_ms.end());
  if (time_column_count_ == times_.size()) times_.emplace_back();
  times_[time_column_count_].assign(timestamps_ms.begin(), timestamps_ms.end());
  return time_column_count_++;
}

void ChunkRowBuilder::PutTimes(std::string& out) {
  IntegerColumnsWriter columns;
  std::vector<int64_t> counts;
  for (size_t column = 0; column < time_column_count_; ++column) {
    std::vector<int64_t>& times = times_[column];
    counts.push_back(static_cast<int64_t>(times.size()));
    // Wraps for times at both ends of the range, and wraps back when read.
    for (int64_t& time_ms : times) {
      time_ms = static_cast<int64_t>(static_cast<uint64_t>(time_ms) -
                                     static_cast<uint64_t>(range_.min_ms));
    }
    columns.Add(times);
  }
  PutVarint64(out, time_column_count_);
  PutPackedIntegers(out, counts);
  columns.Finish(/*unit_hint=*/1, out);
  PutPackedIntegers(out, time_columns_);
}

void ChunkRowBuilder::PutFloats(std::string& out) {
  PutSeries(out, float_series_);
  if (float_series_ == 0) return;
  PutTimes(out);
  values_.Finish(out);
}

void ChunkRowBuilder::PutHistograms(std::string& out) {
  PutSeries(out, histogram_series_);
  PutPackedIntegers(out, histogram_sizes_);
  out += histograms_;
}

void ChunkRowBuilder::PutStarts(std::string& out) {
  if (start_series_ == 0) return;
  PutSeries(out, start_series_);
  starts_.Finish(/*unit_hint=*/1, out);
}

std::string ChunkRowBuilder::Finish() {
  LOCKSTEP_CHECK(!empty());
  std::string value(1, start_series_ == 0 ? kChunkRowVersion : kChunkRowVersionWithStarts);
  PutVarintSigned64(value, range_.min_ms);
  PutVarint64(value, static_cast<uint64_t>(range_.max_ms) - static_cast<uint64_t>(range_.min_ms));
  PutFloats(value);
  PutHistograms(value);
  PutStarts(value);
  sample_count_ = 0;
  float_series_ = histogram_series_ = start_series_ = 0;
  time_column_count_ = 0;
  time_columns_.clear();
  histogram_sizes_.clear();
  histograms_.clear();
  return value;
}

}  // namespace lockstep
