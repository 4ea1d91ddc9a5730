// TailState: the progress of each followed log, kept in a file. Plain data with conversion to and
// from text.
//
//   lockstep-tail 1
//   log DEVICE INODE HEAD_BYTES HEAD_CRC OFFSET STREAM
//   +BYTES MILLISECONDS                                   a push of that many bytes, and its time
//   +BYTES +MILLISECONDS                                  likewise, relative to the previous push
//   ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::tail {

// Bytes pushed at one time. Their records without a time get this one, however often they are
// pushed again.
struct PushedBytes {
  uint64_t end = 0;  // the offset after them
  int64_t arrival_ms = 0;
};

// Per log. Beyond it, every other push is dropped and its bytes join the previous one.
inline constexpr size_t kMaxPushesKept = 50'000;

struct TailedLogState {
  uint64_t device = 0;
  uint64_t inode = 0;
  // The log's first bytes: if they change, it is another log.
  uint32_t head_bytes = 0;
  uint32_t head_crc = 0;
  std::string stream;   // the server's name for it, without line ends
  uint64_t offset = 0;  // everything before this was accepted
  std::vector<PushedBytes> pushes;

  // Records a push after `offset`, which advances.
  void AddPush(uint64_t end, int64_t arrival_ms);
};

struct TailState {
  std::vector<TailedLogState> logs;
};

std::string ToText(const TailState& state);
// kDataLoss if malformed.
absl::StatusOr<TailState> ParseTailState(std::string_view text);

// Empty if there is no such file.
absl::StatusOr<TailState> ReadTailState(const std::string& path);
// Replaces the file atomically.
absl::Status WriteTailState(const std::string& path, std::string_view text);

}  // namespace lockstep::tail
