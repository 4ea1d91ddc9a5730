#include "api/ingest/job_binding.h"

#include "absl/strings/str_format.h"
#include "base/check.h"

namespace lockstep::api {
namespace {

constexpr std::string_view kJobLabel = "job";

absl::Status CheckJob(const Matcher& jobs, const LabelSet& series) {
  const std::string_view job = series.Get(kJobLabel);
  if (jobs.Matches(job)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrFormat("this credential may not write the job \"%s\"; nothing was stored", job));
}

}  // namespace

absl::Status CheckJobs(const Matcher& jobs, const WriteRequest& request) {
  LOCKSTEP_CHECK(request.known.empty());
  for (const SeriesWrite& series : request.series) {
    LOCKSTEP_RETURN_IF_ERROR(CheckJob(jobs, series.labels));
  }
  return absl::OkStatus();
}

absl::StatusOr<DecodedWrite> DecodeForJobs(const std::optional<Matcher>& jobs, DecodeMessage decode,
                                           std::string_view message, const IngestLimits& limits,
                                           const Storage* storage) {
  if (!jobs.has_value()) return decode(message, limits, storage);
  // Decoded without the store, so that every series comes with its labels.
  LOCKSTEP_ASSIGN_OR_RETURN(DecodedWrite decoded, decode(message, limits, nullptr));
  LOCKSTEP_RETURN_IF_ERROR(CheckJobs(*jobs, decoded.request));
  for (const SeriesExemplars& of_series : decoded.exemplars) {
    LOCKSTEP_RETURN_IF_ERROR(CheckJob(*jobs, of_series.series));
  }
  // Help and types do not belong to a job.
  decoded.metadata.clear();
  return decoded;
}

}  // namespace lockstep::api
