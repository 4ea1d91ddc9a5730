#include "storage/db/row_writer.h"

#include "storage/chunk/merge_columns.h"

namespace lockstep {

void RowWriter::Add(uint32_t index_in_block, const SampleColumns& columns) {
  rows_.Add(index_in_block, columns);
  totals_.Add({TimeRangeOf(columns), columns.size(), 0});
  ++chunk_count_;
}

absl::Status RowWriter::Finish() {
  return rows_.Finish([this](std::string_view value) {
    totals_.byte_count += value.size();
    LOCKSTEP_RETURN_IF_ERROR(batch_.Put(space_, kv::EncodeChunkKey(next_), value));
    ++next_.part;
    return absl::OkStatus();
  });
}

}  // namespace lockstep
