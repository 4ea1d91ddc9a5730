// DecodedWrite: what a write request holds, whatever message it came in.
#pragma once

#include <cstdint>
#include <vector>

#include "ingest/exemplar_store.h"
#include "ingest/metadata_store.h"
#include "ingest/refusals.h"
#include "ingest/request_memory.h"
#include "storage/storage.h"

namespace lockstep {

struct DecodedWrite {
  WriteRequest request;  // series with valid labels and at least one sample
  Refusals refusals;     // the rest
  std::vector<MetadataEntry> metadata;
  std::vector<SeriesExemplars> exemplars;  // of series that were not refused
  uint64_t series_count = 0;               // counts of what arrived, refused or not
  uint64_t sample_count = 0;
  uint64_t histogram_count = 0;
  uint64_t exemplar_count = 0;
  uint64_t text_value_count = 0;  // that are no samples, and were left out
  RequestMemory memory;           // of all of it
};

}  // namespace lockstep
