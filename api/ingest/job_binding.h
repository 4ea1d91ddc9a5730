// Restricts what a credential writes to its permitted jobs.
#pragma once

#include <optional>

#include "base/status.h"
#include "ingest/ingester.h"
#include "model/matcher.h"
#include "storage/write.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

// kPermissionDenied if a series belongs to a job that `jobs` does not match. Precondition:
// `request` identifies no series by number only.
absl::Status CheckJobs(const Matcher& jobs, const WriteRequest& request);

// Returns the result of `decode` if everything in `message` belongs to jobs that `jobs` matches;
// nullopt allows any job.
absl::StatusOr<DecodedWrite> DecodeForJobs(const std::optional<Matcher>& jobs, DecodeMessage decode,
                                           std::string_view message, const IngestLimits& limits,
                                           const Storage* storage);

}  // namespace lockstep::api
