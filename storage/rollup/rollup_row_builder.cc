#include "storage/rollup/rollup_row_builder.h"

#include "base/check.h"
#include "base/coding.h"
#include "storage/chunk/integers/integer_columns.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {}  // namespace

void RollupRowBuilder::Add(uint32_t index_in_block, const SampleColumns& columns,
                           int64_t begin_ms) {
  LOCKSTEP_CHECK(index_in_block < kMaxRollupSeries);
  LOCKSTEP_CHECK((rolled_up_ | raw_) >> index_in_block == 0);
  const uint64_t bit = uint64_t{1} << index_in_block;
  const bool is_exact = RollUp(columns, begin_ms, rollup_);
  if (!is_exact || columns.values.size() < kMinSamplesPerBucket * rollup_.times.size()) {
    raw_ |= bit;
    return;
  }
  if (rollup_.times.buckets == 0) return;
  rolled_up_ |= bit;
  time_columns_.push_back(static_cast<int64_t>(TimeColumn(rollup_.times)));
  lows_.Add(rollup_.lows);
  highs_.Add(rollup_.highs);
  if (rollup_.ascends) {
    ascending_ |= bit;
  } else {
    lasts_.Add(rollup_.lasts);
  }
}

size_t RollupRowBuilder::TimeColumn(const BucketTimes& times) {
  // Neighbours are often scraped together, so the newest column is the most likely match.
  for (size_t column = time_column_count_; column-- > 0;) {
    if (times_[column] == times) return column;
  }
  if (time_column_count_ == times_.size()) times_.emplace_back();
  times_[time_column_count_] = times;
  return time_column_count_++;
}

void RollupRowBuilder::PutTimes(std::string& out) const {
  PutVarint64(out, time_column_count_);
  const std::span<const BucketTimes> columns(times_.data(), time_column_count_);
  for (const BucketTimes& times : columns) PutVarint64(out, times.buckets);
  IntegerColumnsWriter writer;
  for (const auto field : {&BucketTimes::counts, &BucketTimes::firsts, &BucketTimes::lasts}) {
    for (const BucketTimes& times : columns) writer.Add(times.*field);
    writer.Finish(/*unit_hint=*/1, out);
  }
}

std::optional<std::string> RollupRowBuilder::Finish() {
  std::optional<std::string> row;
  if (rolled_up_ != 0) {
    std::string& out = row.emplace(1, kRollupRowVersion);
    PutVarint64(out, rolled_up_);
    PutVarint64(out, raw_);
    PutVarint64(out, ascending_);
    PutTimes(out);
    PutPackedIntegers(out, time_columns_);
    lows_.Finish(out);
    highs_.Finish(out);
    if (ascending_ != rolled_up_) lasts_.Finish(out);
  }
  rolled_up_ = raw_ = ascending_ = 0;
  time_column_count_ = 0;
  time_columns_.clear();
  return row;
}

}  // namespace lockstep
