// Feeds the readers of a block's parts. The first byte selects a chunk of each encoding,
// tombstones, or an index with one chunk file that is the index's own bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "import/tsdb_blocks/block_reader.h"
#include "import/tsdb_blocks/chunk_reader.h"
#include "import/tsdb_blocks/tombstones.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::tsdb_blocks::BlockReader;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] < 4) {
    lockstep::SampleColumns samples;
    lockstep::tsdb_blocks::ReadChunk(data[0], rest, samples).IgnoreError();
  } else if (data[0] == 4) {
    lockstep::tsdb_blocks::ReadTombstones(rest).IgnoreError();
  } else {
    auto reader = BlockReader::Open({rest, {}, {}});
    if (!reader.ok()) return 0;
    while (reader->Next()) {
    }
  }
  return 0;
}
