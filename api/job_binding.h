// Holds what a credential writes to the jobs that it is for.
#pragma once

#include <optional>

#include "base/status.h"
#include "ingest/ingester.h"
#include "model/matcher.h"
#include "storage/storage.h"

namespace lockstep::api {

// kPermissionDenied if a series is of a job that `jobs` does not match. Precondition: `request` knows no series by
// number alone.
absl::Status CheckJobs(const Matcher& jobs, const WriteRequest& request);

// What `decode` makes of `message`, if all of it is of jobs that `jobs` matches; nothing: of any.
absl::StatusOr<DecodedWrite> DecodeForJobs(const std::optional<Matcher>& jobs, DecodeMessage decode,
                                           std::string_view message, const IngestLimits& limits,
                                           const Storage* storage);

}  // namespace lockstep::api
