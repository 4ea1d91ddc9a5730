// Decodes the message of Prometheus remote write 2.0, protobuf, to a WriteRequest.
//
//   Request     4 repeated string symbols     5 repeated TimeSeries
//   TimeSeries  1 packed uint32 label refs    2 repeated Sample   3 repeated Histogram
//               4 repeated Exemplar           5 Metadata          6 int64 created_timestamp
//   Sample      1 double value                2 int64 timestamp   3 int64 start_timestamp
//   Metadata    1 type                        3 uint32 help ref   4 uint32 unit ref
//
// References are indices into `symbols`; label references come in pairs, name and value. Source:
// Prometheus, prompb/io/prometheus/write/v2/types.proto; the "Remote-Write 2.0" specification.
//
// Values keep their bits. Unknown fields are skipped. A created timestamp is the start of all
// samples of its series without their own. A series with unsorted label names or an empty label
// value is refused, because the specification forbids both. A series without samples is not stored:
// senders use it for exemplars and metadata.
//
// Series in the usual form, without start timestamps, are looked up by the key that their labels
// would have in remote write 1.0; only if that fails, their labels are checked.
#pragma once

#include <string_view>

#include "base/status.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"

namespace lockstep {

class Storage;

// The result does not refer to `message`. Samples of series that `storage` knows are in
// request.known; none without a storage. Errors:
//   kInvalidArgument  the bytes are not such a message
//   kOutOfRange       over the series limit
absl::StatusOr<DecodedWrite> DecodeRemoteWriteV2(std::string_view message,
                                                 const IngestLimits& limits,
                                                 const Storage* storage = nullptr);

}  // namespace lockstep
