// Reads what PyTorch's flight recorder dumped on one rank: a pickle or JSON, of NCCL, gloo or
// another backend, in format versions 2.x.
#pragma once

#include "base/status.h"
#include "hang/dump/document.h"
#include "hang/record/rank_record.h"

namespace lockstep::hang {

// A record without rank, host and times of the dump. kInvalidArgument if the document is not such a
// dump, with what is missing.
absl::StatusOr<RankRecord> ReadFlightDump(const Document& document);

}  // namespace lockstep::hang
