// The residuals of one column as bits, with the bins that many columns share: a stream that can be read
// without any other.
//
//   +----------------------------------+------------------------------------------+-----
//   | first state of each lane         | of each residual:                        | ...
//   | table_log bits each              | bits to its lane's next state | offset   |
//   +----------------------------------+------------------------------------------+-----
//
// Residuals take turns in the lanes, so that a processor can work at several at once. The last residual
// of each lane has no next state. Bits are least significant first (bits.h), padded with zeros to a
// byte. The number of residuals is kept by the caller; none take no bytes, and so do any number if
// there is one bin without offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/chunk/ans_table.h"
#include "storage/chunk/bins.h"
#include "storage/chunk/residual_rounds.h"

namespace lockstep {

// Lanes cost about a byte each.
inline int LaneCount(size_t residual_count) {
  return residual_count < 32 ? 1 : residual_count < 128 ? 2 : 4;
}

// Reuses its memory from stream to stream.
class ResidualWriter {
 public:
  // `set` has a bin at least and must outlive the writer.
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
// What this processor can do.
inline CodecBuild BestBuild() { return HasAvx2() ? CodecBuild::kAvx2 : CodecBuild::kPortable; }

class ResidualReader {
 public:
  // `set` has a bin at least; nothing of it is kept.
  explicit ResidualReader(const BinSet& set, CodecBuild build = BestBuild());

  // Reads residuals of differences of `order`, and sums them up: values[order] and all behind it are
  // written, those before it must be there. `stream` is all that belongs to the column; `slack_bytes`
  // more can be read behind it, together less than 2^28. False if the stream is not as long as its
  // residuals.
  [[nodiscard]] bool Read(std::string_view stream, size_t slack_bytes, int order,
                          std::span<int64_t> values) const;

 private:
  // One residual after the other, looking at no byte behind the stream.
  [[nodiscard]] bool ReadRest(std::string_view stream, int order, size_t last_count, RoundsJob& job,
                              int lane_count) const;
  RoundsFunction Rounds(int lane_count, int order) const;

  const CodecBuild build_;
  // As in RoundsJob.
  std::vector<AnsEntry> entries_;
  std::vector<uint64_t> lowers_;
  std::vector<uint32_t> total_bits_;
  std::vector<uint64_t> factors_;
  int table_log_ = 0;
  int most_bits_ = 0;  // that a residual may take
  StepForm form_ = StepForm::kBinsAlone;
};

}  // namespace lockstep
