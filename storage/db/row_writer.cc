#include "storage/db/row_writer.h"

#include <string>

#include "base/check.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/column_walk.h"

namespace lockstep {
namespace {

// A chunk and a row are ended before they are larger than this. Both together are far below
// kv::kMaxValueBytes.
constexpr size_t kMaxChunkBytes = size_t{128} << 10;
constexpr size_t kMaxRowBytes = size_t{256} << 10;
// So many are far from it.
constexpr size_t kFewFloats = 4096;

}  // namespace

absl::Status RowWriter::Add(uint32_t index_in_block, const SampleColumns& columns) {
  if (columns.histograms.empty() && columns.values.size() <= kFewFloats) {
    return AddChunk(index_in_block, columns);
  }
  size_t chunk_bytes = 0;
  chunk_.Clear();
  for (ColumnWalk walk(columns); !walk.done(); walk.Next()) {
    const size_t sample_bytes = walk.EncodedBytes();
    if (chunk_bytes + sample_bytes > kMaxChunkBytes) {
      LOCKSTEP_RETURN_IF_ERROR(AddChunk(index_in_block, chunk_));
      chunk_.Clear();
      chunk_bytes = 0;
    }
    chunk_bytes += sample_bytes;
    walk.CopyTo(chunk_);
  }
  return AddChunk(index_in_block, chunk_);
}

absl::Status RowWriter::AddChunk(uint32_t index_in_block, const SampleColumns& columns) {
  if (columns.size() == 0) return absl::OkStatus();
  row_.Add(index_in_block, columns);
  totals_.Add({TimeRangeOf(columns), columns.size(), 0});
  ++chunk_count_;
  return row_.byte_count() < kMaxRowBytes ? absl::OkStatus() : Finish();
}

absl::Status RowWriter::Finish() {
  if (row_.empty()) return absl::OkStatus();
  const std::string value = row_.Finish();
  totals_.byte_count += value.size();
  LOCKSTEP_RETURN_IF_ERROR(batch_.Put(space_, kv::EncodeChunkKey(next_), value));
  ++next_.part;
  return absl::OkStatus();
}

}  // namespace lockstep
