// The message of Prometheus remote write 1.0: protobuf bytes to a WriteRequest.
//
//   WriteRequest  1 repeated TimeSeries    3 repeated MetricMetadata
//   TimeSeries    1 repeated Label         2 repeated Sample   3 repeated Exemplar   4 repeated
//   Histogram Label         1 name                   2 value Sample        1 double value 2 int64
//   timestamp_ms
//
// Source: Prometheus, prompb/remote.proto and types.proto; the "Remote-Write 1.0" specification.
// Values keep their bits, stale markers and NaN payloads included. Exemplars are counted and read
// over. Labels may come in any order; empty values are left out. Unknown fields are skipped.
//
// Series in the plain form (ingest/plain_series.h) are looked up by a hash of their label bytes as they
// are; only if that finds none, their labels are taken apart and checked.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/limits.h"
#include "ingest/metadata_store.h"
#include "ingest/refusals.h"
#include "storage/storage.h"

namespace lockstep {

struct DecodedWrite {
  WriteRequest request;  // series with valid labels and at least one sample
  Refusals refusals;     // the rest
  std::vector<MetadataEntry> metadata;
  uint64_t series_count = 0;  // counts of what arrived, refused or not
  uint64_t sample_count = 0;
  uint64_t histogram_count = 0;
  uint64_t exemplar_count = 0;
};

// Nothing in the result refers to `message`. Samples of series that `storage` knows are in
// request.known; without a storage there are none. Errors:
//   kInvalidArgument  the bytes are not such a message
//   kOutOfRange       more series than the limit
absl::StatusOr<DecodedWrite> DecodeRemoteWrite(std::string_view message, const IngestLimits& limits,
                                               const Storage* storage = nullptr);

}  // namespace lockstep
