// Prometheus' remote read, as its client: encodes a request, and decodes the response
// incrementally, in either form.
//
//   ReadRequest   1 repeated Query    2 repeated accepted response types, the best first
//   Query         1 start ms          2 end ms, both inclusive    3 repeated LabelMatcher
//   LabelMatcher  1 type              2 name                      3 value
//
//   STREAMED_XOR_CHUNKS  length: varint | CRC-32C: 4 bytes, big-endian | ChunkedReadResponse ...
//   SAMPLES              a snappy block of ReadResponse
//
//   ChunkedReadResponse  1 repeated ChunkedSeries   2 query index
//   ChunkedSeries        1 repeated Label           2 repeated Chunk
//   Chunk                1 min time ms   2 max time ms   3 encoding   4 data
//   ReadResponse         1 repeated QueryResult, whose 1 is repeated TimeSeries of remote write
//
// Source: Prometheus, prompb/remote.proto and types.proto, storage/remote/chunked.go.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep::importer {

// One query for the series that match all matchers, snappy-compressed; prefers streamed chunks,
// accepts samples.
std::string EncodeReadRequest(const std::vector<Matcher>& matchers, const TimeRange& range);

// The limit of one frame; Prometheus closes frames at 1 MiB, or after one longer series.
inline constexpr size_t kMaxFrameBytes = 64 << 20;
// The limit of a response in samples form.
inline constexpr size_t kMaxSamplesBytes = size_t{1} << 30;

// For one thread and one response.
class RemoteReadAnswer {
 public:
  // Receives each series, or a part of it; an error stops decoding.
  using Take = std::function<absl::Status(const LabelSet& labels, const SampleColumns& samples)>;

  explicit RemoteReadAnswer(Take take) : take_(std::move(take)) {}

  // Adds the next bytes of the body. `is_streamed` depends on the response's type and must not
  // change.
  absl::Status Feed(std::string_view bytes, bool is_streamed);
  // Call at the end of the body.
  absl::Status Finish(bool is_streamed);

 private:
  absl::Status TakeFrames();
  absl::Status TakeSamples();

  const Take take_;
  std::string buffer_;
};

}  // namespace lockstep::importer
