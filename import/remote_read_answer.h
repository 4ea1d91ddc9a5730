// What a Prometheus answers to a remote read, in either of its forms, taken apart as it comes.
//
//   STREAMED_XOR_CHUNKS  frames: length: varint | CRC-32C: 4 bytes, big-endian | ChunkedReadResponse
//   SAMPLES              a snappy block of ReadResponse
//
//   ChunkedReadResponse  1 repeated ChunkedSeries   2 query index
//   ChunkedSeries        1 repeated Label           2 repeated Chunk
//   Chunk                1 min time ms   2 max time ms   3 encoding   4 data
//   ReadResponse         1 repeated QueryResult, whose 1 are repeated TimeSeries as in a remote write
//
// Source: Prometheus, prompb/remote.proto and types.proto, storage/remote/chunked.go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/labels.h"
#include "model/sample.h"

namespace lockstep::importer {

// Of one frame; a Prometheus closes them at 1 MiB, or behind one series that is longer.
inline constexpr size_t kMaxFrameBytes = 64 << 20;
// Of an answer that comes whole.
inline constexpr size_t kMaxSamplesBytes = size_t{1} << 30;

// For one thread and one answer.
class RemoteReadAnswer {
 public:
  // Hears of each series, or of a part of it; an error ends the reading.
  using Take = std::function<absl::Status(const LabelSet& labels, const SampleColumns& samples)>;

  explicit RemoteReadAnswer(Take take) : take_(std::move(take)) {}

  // The next bytes of the body. `is_streamed`: by the answer's type; the same each time.
  absl::Status Feed(std::string_view bytes, bool is_streamed);
  // The body ends here.
  absl::Status Finish(bool is_streamed);

 private:
  absl::Status TakeFrames();
  absl::Status TakeSamples();

  const Take take_;
  std::string buffer_;
};

}  // namespace lockstep::importer
