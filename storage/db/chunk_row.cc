#include "storage/db/chunk_row.h"

#include <utility>

#include "base/coding.h"
#include "storage/chunk/series_chunk.h"
#include "storage/db/dictionary.h"

namespace lockstep {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

void ChunkRowBuilder::Add(uint32_t index_in_block, const SampleColumns& columns) {
  if (value_.empty()) value_.push_back(static_cast<char>(kVersion));
  PutVarint64(value_, index_in_block);
  EncodeSeriesChunk(value_, columns);
}

std::string ChunkRowBuilder::Finish() { return std::exchange(value_, {}); }

absl::Status ListChunks(std::string_view value, TimeRange range, std::vector<ChunkRef>& chunks) {
  if (value.empty() || static_cast<uint8_t>(value.front()) != kVersion) {
    return absl::DataLossError("a chunk row has an unknown version");
  }
  value.remove_prefix(1);
  while (!value.empty()) {
    uint64_t index = 0;
    if (!GetVarint64(value, index) || index >= kSeriesPerBlock) {
      return absl::DataLossError("a chunk row is malformed");
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const ChunkHeader header, ReadChunkHeader(value));
    if (header.range.min_ms <= range.max_ms && header.range.max_ms >= range.min_ms) {
      chunks.push_back(
          {static_cast<uint32_t>(index), header.range, value.substr(0, header.chunk_bytes())});
    }
    value.remove_prefix(header.chunk_bytes());
  }
  return absl::OkStatus();
}

}  // namespace lockstep
