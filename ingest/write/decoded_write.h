// DecodedWrite: the content of a write request, independent of its format.
#pragma once

#include <cstdint>
#include <vector>

#include "ingest/side_data/exemplar_store.h"
#include "ingest/side_data/metadata_store.h"
#include "ingest/write/refusals.h"
#include "ingest/write/request_memory.h"
#include "storage/write.h"

namespace lockstep {

struct DecodedWrite {
  WriteRequest request;  // series with valid labels and at least one sample
  Refusals refusals;     // the rest
  std::vector<MetadataEntry> metadata;
  std::vector<SeriesExemplars> exemplars;  // of accepted series
  uint64_t series_count = 0;               // all that arrived, including refused
  uint64_t sample_count = 0;
  uint64_t histogram_count = 0;
  uint64_t exemplar_count = 0;
  uint64_t text_value_count = 0;  // text values, which were dropped
  RequestMemory memory;           // of the whole request
};

}  // namespace lockstep
