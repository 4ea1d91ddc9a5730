// TailState: how far each followed log was taken, kept in a file. Plain data, to text and back.
//
//   lockstep-tail 1
//   log DEVICE INODE HEAD_BYTES HEAD_CRC OFFSET STREAM
//   +BYTES MILLISECONDS                                   a push of so many bytes, and when it was
//   +BYTES +MILLISECONDS                                  likewise, behind the one before
//   ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::tail {

// Bytes that were pushed at one time: what they say without a time of its own has this one, however often it is
// pushed again.
struct PushedBytes {
  uint64_t end = 0;  // the first byte behind them
  int64_t arrival_ms = 0;
};

// Of one log. Over it every other is forgotten, and the bytes are those of the one before.
inline constexpr size_t kMaxPushesKept = 50'000;

struct TailedLogState {
  uint64_t device = 0;
  uint64_t inode = 0;
  // The log's first bytes: when they change, it is another log.
  uint32_t head_bytes = 0;
  uint32_t head_crc = 0;
  std::string stream;   // the server's name for it, without line ends
  uint64_t offset = 0;  // up to there it was taken
  std::vector<PushedBytes> pushes;

  // Behind `offset`, which moves.
  void AddPush(uint64_t end, int64_t arrival_ms);
};

struct TailState {
  std::vector<TailedLogState> logs;
};

std::string ToText(const TailState& state);
// kDataLoss for text that is none.
absl::StatusOr<TailState> ParseTailState(std::string_view text);

// Of nothing where there is no such file.
absl::StatusOr<TailState> ReadTailState(const std::string& path);
// The file is the old one or the new one, whatever happens meanwhile.
absl::Status WriteTailState(const std::string& path, std::string_view text);

}  // namespace lockstep::tail
