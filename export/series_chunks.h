// SeriesChunks: the samples of one series as a row of Prometheus' chunks, in order of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/sample.h"

namespace lockstep {

// Numbers are those of prometheus.Chunk.Encoding.
enum class ChunkEncoding : uint8_t { kFloat = 1, kFloatHistogram = 3 };

struct SeriesChunk {
  int64_t min_time_ms = 0;
  int64_t max_time_ms = 0;
  ChunkEncoding encoding = ChunkEncoding::kFloat;
  std::string data;
};

// As many samples as Prometheus puts into one chunk.
inline constexpr size_t kMaxChunkSamples = 120;

// No chunks overlap: floats and histograms of one series take turns.
std::vector<SeriesChunk> MakeSeriesChunks(const SampleColumns& samples);

}  // namespace lockstep
