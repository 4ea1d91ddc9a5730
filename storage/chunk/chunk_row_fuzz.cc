// Feeds the decoder of chunks: what it takes must come back from the encoder, and it must be the same.
// Inputs are chunks; every one is also read as plain samples, to go through encoder and decoder.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "storage/chunk/merge_columns.h"
#include "storage/chunk/series_chunk.h"

namespace lockstep {
namespace {

bool Same(const SampleColumns& a, const SampleColumns& b) {
  SampleColumns merged;
  const MergeCounts counts = MergeColumns(a, b, merged);
  return a.size() == b.size() && counts.duplicate_count == a.size();
}

void CheckRoundTrip(const SampleColumns& columns) {
  std::string bytes;
  EncodeSeriesChunk(bytes, columns);
  std::string_view in = bytes;
  SampleColumns again;
  LOCKSTEP_CHECK(DecodeSeriesChunk(in, again).ok());
  LOCKSTEP_CHECK(in.empty());
  LOCKSTEP_CHECK(Same(columns, again));
}

void Decode(std::string_view in) {
  const absl::StatusOr<ChunkHeader> header = ReadChunkHeader(in);
  SampleColumns columns;
  if (!DecodeSeriesChunk(in, columns).ok()) return;
  LOCKSTEP_CHECK(header.ok());
  LOCKSTEP_CHECK(header->float_count == columns.values.size());
  LOCKSTEP_CHECK(header->histogram_count == columns.histograms.size());
  CheckRoundTrip(columns);
}

// Ten bytes make a sample: how much later it is, and its value.
void Encode(std::string_view in) {
  SampleColumns columns;
  int64_t timestamp_ms = 0;
  for (; in.size() >= 10 && columns.size() < kMaxChunkSamples; in.remove_prefix(10)) {
    uint16_t later_ms;
    uint64_t bits;
    std::memcpy(&later_ms, in.data(), 2);
    std::memcpy(&bits, in.data() + 2, 8);
    timestamp_ms += 1 + later_ms;
    columns.Append(timestamp_ms, std::bit_cast<double>(bits));
  }
  if (columns.size() > 0) CheckRoundTrip(columns);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  lockstep::Decode(in);
  lockstep::Encode(in);
  return 0;
}
