// The samples of one series as a sequence of Prometheus' chunks, in time order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/sample.h"

namespace lockstep {

// Values of prometheus.Chunk.Encoding.
enum class ChunkEncoding : uint8_t { kFloat = 1, kFloatHistogram = 3 };

struct SeriesChunk {
  int64_t min_time_ms = 0;
  int64_t max_time_ms = 0;
  ChunkEncoding encoding = ChunkEncoding::kFloat;
  std::string data;
};

// The number of samples that Prometheus puts into one chunk.
inline constexpr size_t kMaxChunkSamples = 120;

// Chunks do not overlap: floats and histograms of one series alternate.
std::vector<SeriesChunk> MakeSeriesChunks(const SampleColumns& samples);

}  // namespace lockstep
