// The answers to a remote read (prompb/remote.proto), of series one at a time.
//
//   SAMPLES              a snappy block of prometheus.ReadResponse
//   STREAMED_XOR_CHUNKS  frames: length: varint | CRC-32C: 4 bytes, big-endian | prometheus.ChunkedReadResponse
#pragma once

#include <cstdint>
#include <string>

#include "model/labels.h"
#include "model/sample.h"

namespace lockstep {

// What a frame may hold before it is closed. As in Prometheus, one chunk more may be in it.
inline constexpr size_t kMaxFrameBytes = 1 << 20;

// Appends one prometheus.TimeSeries to a prometheus.QueryResult. Histograms go out in their float form.
void AppendReadSeries(const LabelSet& labels, const SampleColumns& samples,
                      std::string& query_result);
// Appends a finished QueryResult to a prometheus.ReadResponse.
void AppendQueryResult(const std::string& query_result, std::string& read_response);
// The block format.
std::string SnappyBlock(const std::string& bytes);

// Appends the frames of one series; none if it has no samples. `query_index`: which query it answers.
void AppendSeriesFrames(const LabelSet& labels, const SampleColumns& samples, int64_t query_index,
                        std::string& frames);

}  // namespace lockstep
