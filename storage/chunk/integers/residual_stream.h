// The residuals of one column as bits, using bins that many columns share. A stream can be read
// without the others.
//
//   +----------------------------------+------------------------------------------+-----
//   | first state of each lane         | of each residual:                        | ...
//   | table_log bits each              | bits to its lane's next state | offset   |
//   +----------------------------------+------------------------------------------+-----
//
// Residuals take turns in the lanes, so that a processor can work at several at once. The last
// residual of each lane has no next state. Bits are least significant first (bits.h), padded with
// zeros to a byte. The caller keeps the number of residuals. No residuals take no bytes, nor does
// any number of residuals if there is only one bin and it has no offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/chunk/integers/ans_table.h"
#include "storage/chunk/integers/bins.h"
#include "storage/chunk/integers/residual_rounds.h"

namespace lockstep {

// Each lane costs about one byte.
inline int LaneCount(size_t residual_count) {
  return residual_count < 32 ? 1 : residual_count < 128 ? 2 : 4;
}

// Reuses its memory from stream to stream.
class ResidualWriter {
 public:
  // `set` has at least one bin and must outlive the writer.
  explicit ResidualWriter(const BinSet& set) : set_(set), finder_(set), coder_(set) {}
  // Appends. Precondition: the set was planned for all of the residuals.
  void Write(std::span<const int64_t> residuals, std::string& out);

 private:
  const BinSet& set_;
  const BinFinder finder_;
  const AnsWriter coder_;
  std::vector<BinFinder::Place> places_;
  std::vector<AnsWriter::Step> steps_;
};

enum class CodecBuild { kPortable, kAvx2 };
// The best build that this processor supports.
inline CodecBuild BestBuild() { return HasAvx2() ? CodecBuild::kAvx2 : CodecBuild::kPortable; }

// Reuses its memory from set to set.
class ResidualReader {
 public:
  // Reset() comes first.
  explicit ResidualReader(CodecBuild build = BestBuild()) : build_(build) {}
  // Makes it read with these bins. `set` has at least one bin; the reader keeps no reference to it.
  void Reset(const BinSet& set);

  // Reads residuals, which are differences of `order`, and sums them up: writes values[order] and
  // all after it; those before it must be set. `stream` holds exactly the column's bytes;
  // `slack_bytes` more can be read after it, together less than 2^28. Returns false if the length
  // of the stream does not match its residuals.
  [[nodiscard]] bool Read(std::string_view stream, size_t slack_bytes, int order,
                          std::span<int64_t> values) const {
    return ReadFirst(stream, slack_bytes, order, values.size(), values);
  }
  // The same, but `values` takes only the first of the column's `count` values. Returns false if
  // the stream ends before them.
  [[nodiscard]] bool ReadFirst(std::string_view stream, size_t slack_bytes, int order, size_t count,
                               std::span<int64_t> values) const;

 private:
  // Reads one residual after the other without looking past the end of the stream.
  [[nodiscard]] bool ReadRest(std::string_view stream, int order, size_t count, size_t read_count,
                              RoundsJob& job, int lane_count) const;
  RoundsFunction Rounds(int lane_count, int order) const;

  const CodecBuild build_;
  // As in RoundsJob.
  std::vector<AnsEntry> entries_;
  std::vector<uint64_t> lowers_;
  std::vector<uint32_t> total_bits_;
  std::vector<uint64_t> factors_;
  int table_log_ = 0;
  int most_bits_ = 0;  // the most bits of a residual
  StepForm form_ = StepForm::kBinsAlone;
};

}  // namespace lockstep
