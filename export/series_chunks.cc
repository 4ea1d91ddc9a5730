#include "export/series_chunks.h"

#include <algorithm>
#include <limits>
#include <span>

#include "export/float_chunk.h"
#include "export/histogram_chunk.h"

namespace lockstep {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Walks floats and histograms side by side.
class ChunkCutter {
 public:
  explicit ChunkCutter(const SampleColumns& samples) : samples_(samples) {}

  std::vector<SeriesChunk> Cut() {
    std::vector<SeriesChunk> chunks;
    while (next_float_ < samples_.values.size() || next_histogram_ < samples_.histograms.size()) {
      chunks.push_back(FloatTime() < HistogramTime() ? CutFloats() : CutHistograms());
    }
    return chunks;
  }

 private:
  int64_t FloatTime() const {
    return next_float_ < samples_.values.size() ? samples_.timestamps_ms[next_float_] : kNever;
  }
  int64_t HistogramTime() const {
    return next_histogram_ < samples_.histograms.size()
               ? samples_.histograms[next_histogram_].timestamp_ms
               : kNever;
  }

  // Cuts at the next histogram.
  SeriesChunk CutFloats() {
    const size_t begin = next_float_;
    const int64_t end_ms = HistogramTime();
    while (FloatTime() < end_ms && next_float_ - begin < kMaxChunkSamples) ++next_float_;
    const std::span times(samples_.timestamps_ms.data() + begin, next_float_ - begin);
    SeriesChunk chunk{times.front(), times.back(), ChunkEncoding::kFloat, {}};
    AppendFloatChunk(times, {samples_.values.data() + begin, times.size()}, chunk.data);
    return chunk;
  }

  // Cuts at the next float, or at a histogram with another layout.
  SeriesChunk CutHistograms() {
    const size_t begin = next_histogram_++;
    const int64_t end_ms = FloatTime();
    while (HistogramTime() < end_ms && next_histogram_ - begin < kMaxChunkSamples &&
           FitsSameChunk(*samples_.histograms[next_histogram_ - 1].histogram,
                         *samples_.histograms[next_histogram_].histogram)) {
      ++next_histogram_;
    }
    const std::span histograms(samples_.histograms.data() + begin, next_histogram_ - begin);
    SeriesChunk chunk{histograms.front().timestamp_ms,
                      histograms.back().timestamp_ms,
                      ChunkEncoding::kFloatHistogram,
                      {}};
    AppendHistogramChunk(histograms, chunk.data);
    return chunk;
  }

  const SampleColumns& samples_;
  size_t next_float_ = 0;
  size_t next_histogram_ = 0;
};

}  // namespace

std::vector<SeriesChunk> MakeSeriesChunks(const SampleColumns& samples) {
  return ChunkCutter(samples).Cut();
}

}  // namespace lockstep
