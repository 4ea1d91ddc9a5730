// Remote read responses (prompb/remote.proto), written one series at a time.
//
//   SAMPLES              a snappy block of prometheus.ReadResponse
//   STREAMED_XOR_CHUNKS  frames: length: varint | CRC-32C: 4 bytes, big-endian |
//                                prometheus.ChunkedReadResponse
#pragma once

#include <cstdint>
#include <string>

#include "model/labels.h"
#include "model/sample.h"

namespace lockstep {

// The size at which a frame is closed. As in Prometheus, it may exceed this by one chunk.
inline constexpr size_t kMaxFrameBytes = 1 << 20;

// Appends one prometheus.TimeSeries to a prometheus.QueryResult. Histograms are written as floats.
void AppendReadSeries(const LabelSet& labels, const SampleColumns& samples,
                      std::string& query_result);
// Appends a finished QueryResult to a prometheus.ReadResponse.
void AppendQueryResult(const std::string& query_result, std::string& read_response);
// Compresses with snappy's block format.
std::string SnappyBlock(const std::string& bytes);

// Appends the frames of one series; none if it has no samples. `query_index`: the query it belongs
// to.
void AppendSeriesFrames(const LabelSet& labels, const SampleColumns& samples, int64_t query_index,
                        std::string& frames);

}  // namespace lockstep
