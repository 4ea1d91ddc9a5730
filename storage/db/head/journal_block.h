// A journal block: the samples that one group commit accepted, packed in columns. One row of the
// journal, read only by recovery. On disk: docs/formats/journal.md.
//
//   +------------+-------------+-----------+-------------+-------------+-----------+--------------+
//   | version u8 | entry count | ids bytes | times bytes | value bytes | histogram | starts bytes |
//   |            |             |           |             |             | bytes     |              |
//   +------------+-------------+-----------+-------------+-------------+-----------+--------------+
//   | ids | times | value sizes, 4 bits each | values | histograms | starts |
//
// Starts belong to floats, and only exist in a block of version 5, which has at least one known
// start. Counts and byte lengths are varints. An entry is a series with its samples. Values that
// are decimals of few digits are stored as such, within an entry as differences. A block that zstd
// makes smaller is the content of one of version 3. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "model/sample.h"
#include "storage/index/series_index.h"

struct ZSTD_CCtx_s;

namespace lockstep {

// number / 10^digits
struct JournalDecimal {
  int64_t number = 0;
  int digits = 0;
};

class JournalBlockBuilder {
 public:
  JournalBlockBuilder();
  ~JournalBlockBuilder();

  // Precondition of both: the samples of one call ascend, without repeated times.
  void Add(SeriesId id, const SampleColumns& columns);
  void Add(SeriesId id, Sample sample, int64_t start_timestamp_ms = 0);

  bool empty() const { return entry_count_ == 0; }
  // An upper bound of the size that Finish() returns for the current block.
  size_t byte_count() const;
  // Returns the block's bytes; the builder is empty afterwards and keeps its memory.
  std::string Finish();

 private:
  void AddEntry(SeriesId id, size_t float_count, bool has_histograms);
  void AddTimeAndValue(int64_t timestamp_ms, double value);
  bool AddDecimal(double value, size_t max_bytes);
  void AddValueCode(int code);
  void AddStarts(const SampleColumns& columns);
  void BeginStarts();
  std::string TakeColumns();

  struct FreeCompressor {
    void operator()(ZSTD_CCtx_s* compressor) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, FreeCompressor> compressor_;
  size_t entry_count_ = 0;
  size_t float_count_ = 0;
  SeriesId last_id_ = 0;
  int64_t last_time_ms_ = 0;
  std::optional<JournalDecimal> last_decimal_;  // of this entry
  std::string ids_;
  std::string times_;
  std::string value_sizes_;
  std::string values_;
  std::string histograms_;
  size_t next_start_entry_ = 0;  // one past the last entry with starts
  std::string starts_;
};

// Calls `entry` for every entry in the order in which they were written; its columns live for the
// call. kDataLoss on malformed input, possibly after some calls.
absl::Status ReadJournalBlock(
    std::string_view block,
    absl::FunctionRef<absl::Status(SeriesId id, const SampleColumns& columns)> entry);

}  // namespace lockstep
