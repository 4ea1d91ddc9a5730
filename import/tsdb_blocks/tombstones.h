// The deletions from a block whose samples are still in its chunks.
//
//   magic: 4 | version: 1
//   | (series: varint, first: signed varint, last: signed varint) ... | crc: 4
//
// The crc is CRC-32C of the entries. Source: Prometheus, tsdb/docs/format/tombstones.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "model/sample.h"

namespace lockstep::tsdb_blocks {

// Deleted time ranges, by series reference.
using Tombstones = absl::flat_hash_map<uint64_t, std::vector<TimeRange>>;

absl::StatusOr<Tombstones> ReadTombstones(std::string_view file);

}  // namespace lockstep::tsdb_blocks
