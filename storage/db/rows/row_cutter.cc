#include "storage/db/rows/row_cutter.h"

#include <algorithm>

#include "base/check.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/series/dictionary.h"
#include "storage/kv/space.h"

namespace lockstep {
namespace {

static_assert(kSeriesPerBlock <= kMaxRowSeries);

// Histograms count as several samples, so that rows have about the same size in bytes.
constexpr size_t kHistogramNumbersPerSample = 4;

size_t WeightOf(const Histogram& histogram) {
  return 1 + (histogram.positive_counts.size() + histogram.negative_counts.size() +
              histogram.custom_values.size() + histogram.positive_spans.size() +
              histogram.negative_spans.size()) /
                 kHistogramNumbersPerSample;
}

size_t WeightOf(const ColumnsView& samples) {
  size_t weight = samples.values.size();
  for (const HistogramSample& sample : samples.histograms) weight += WeightOf(*sample.histogram);
  return weight;
}

size_t Quotient(size_t dividend, size_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

void RowCutter::Add(uint32_t index_in_block, const SampleColumns& columns) {
  if (series_count_ == series_.size()) series_.emplace_back();
  Series& series = series_[series_count_++];
  series.index_in_block = index_in_block;
  series.columns = columns;
}

absl::Status RowCutter::Finish(RowFunction row) {
  std::vector<Part> parts;
  for (const Series& series : std::span(series_).first(series_count_)) {
    parts.push_back({series.index_in_block, series.columns});
  }
  series_count_ = 0;
  return parts.empty() ? absl::OkStatus() : Cut(parts, row);
}

absl::Status RowCutter::Cut(std::span<const Part> parts, RowFunction row) {
  size_t weight = 0, longest = 0;
  TimeRange range = TimeRangeOf(parts.front().samples);
  for (const Part& part : parts) {
    const TimeRange part_range = TimeRangeOf(part.samples);
    range.min_ms = std::min(range.min_ms, part_range.min_ms);
    range.max_ms = std::max(range.max_ms, part_range.max_ms);
    weight += WeightOf(part.samples);
    longest = std::max(longest, part.samples.size());
  }
  size_t piece_count =
      std::max(Quotient(weight, kMaxRowSamples), Quotient(longest, kMaxRowSamplesPerSeries));
  if (piece_count <= 1) {
    const std::string value = Build(parts);
    if (value.size() <= kv::kMaxValueBytes) return row(value);
    piece_count = 2;
  }
  if (range.min_ms < range.max_ms) return CutInTime(parts, range, piece_count, row);
  // One sample per series, and each alone is far below the limits.
  LOCKSTEP_CHECK(parts.size() > 1);
  const size_t half = parts.size() / 2;
  LOCKSTEP_RETURN_IF_ERROR(Cut(parts.first(half), row));
  return Cut(parts.subspan(half), row);
}

absl::Status RowCutter::CutInTime(std::span<const Part> parts, TimeRange range, size_t piece_count,
                                  RowFunction row) {
  const uint64_t duration_ms =
      static_cast<uint64_t>(range.max_ms) - static_cast<uint64_t>(range.min_ms);
  // At least a millisecond each.
  const uint64_t piece_ms = duration_ms / piece_count + 1;
  std::vector<Part> piece;
  for (uint64_t begin_ms = 0; begin_ms <= duration_ms; begin_ms += piece_ms) {
    const bool is_last = duration_ms - begin_ms < piece_ms;
    const uint64_t last_ms = is_last ? duration_ms : begin_ms + piece_ms - 1;
    const auto at = [&range](uint64_t offset_ms) {
      return static_cast<int64_t>(static_cast<uint64_t>(range.min_ms) + offset_ms);
    };
    piece.clear();
    for (const Part& part : parts) {
      const ColumnsView samples = part.samples.In({at(begin_ms), at(last_ms)});
      if (samples.size() > 0) piece.push_back({part.index_in_block, samples});
    }
    if (!piece.empty()) LOCKSTEP_RETURN_IF_ERROR(Cut(piece, row));
    if (is_last) break;
  }
  return absl::OkStatus();
}

std::string RowCutter::Build(std::span<const Part> parts) {
  for (const Part& part : parts) builder_.Add(part.index_in_block, part.samples);
  return builder_.Finish();
}

void RowWriter::Add(uint32_t index_in_block, const SampleColumns& columns) {
  rows_.Add(index_in_block, columns);
  totals_.Add({TimeRangeOf(columns), columns.size(), 0});
  ++chunk_count_;
}

absl::Status RowWriter::Finish() {
  return rows_.Finish([this](std::string_view value) {
    totals_.byte_count += value.size();
    LOCKSTEP_RETURN_IF_ERROR(batch_.Put(space_, kv::EncodeChunkKey(next_), value));
    ++next_.part;
    return absl::OkStatus();
  });
}

}  // namespace lockstep
