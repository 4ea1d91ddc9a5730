// DecodedBlock: the samples of chosen series of one block, decoded while the rows are read, so that
// no row is kept. The way for few series, or few samples of each: StoredBlock takes the memory of
// the rows, whichever series are wanted. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"
#include "storage/chunk/chunk_row_reader.h"

namespace lockstep {

class DecodedBlock {
 public:
  // Makes it keep the samples of series `index_in_block`. Call it before Add().
  void Want(uint32_t index_in_block) { wanted_ |= uint64_t{1} << index_in_block; }
  // Makes room for this many rows as soon as the first one of a series is known.
  void ExpectRows(size_t count) { expected_rows_ = count; }
  size_t wanted_count() const;

  // Adds the samples of a row in the range, and of the floats between two steps only the newest if
  // there are steps. Windows ascend, and within one, rows come in the order in which they were
  // written. `reader` is scratch.
  absl::Status Add(std::string_view value, TimeRange range, StepTimes steps,
                   ChunkRowReader& reader);

  // Appends the samples of a wanted series in the range, ascending; for each time, the one written
  // last. They must be later than all that `columns` holds. May forget them.
  void Read(uint32_t index_in_block, TimeRange range, SampleColumns& columns);

 private:
  SampleColumns& SamplesOf(uint32_t index_in_block);
  void Overwrite(const SampleColumns& newer, SampleColumns& columns);

  uint64_t wanted_ = 0;
  size_t expected_rows_ = 0;
  std::vector<SampleColumns> samples_;  // by rank among the wanted series; empty before Add()
  SampleColumns part_;
  SampleColumns tail_;
  SampleColumns merged_;
};

}  // namespace lockstep
