// lockstep_mfu of ranks that report their compute rate: the reported rate as a share of their GPU's
// peak.
//
// Does not join steps with other series, so it costs little more than reading the stored series.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/load_context.h"
#include "model/labels.h"
#include "training/job/job.h"

namespace lockstep::answers {

// Returns the jobs among `jobs` whose ranks report operations or operations per second in the range
// of `selection`. The others have no MFU.
absl::StatusOr<std::vector<std::string>> JobsWithOperations(std::span<const std::string> jobs,
                                                            const Selection& selection,
                                                            const LoadContext& context);

// Returns the series of the metric that match `selection` in these jobs. Null if the jobs must be
// loaded instead, because one of them reports operations per step or one of the ranks reports
// several series.
absl::StatusOr<std::unique_ptr<SeriesSet>> SelectReportedMfu(std::span<const std::string> jobs,
                                                             const Selection& selection,
                                                             const LoadContext& context);

LabelSet MfuLabels(std::string_view job, const training::RankPlace& place);

// The dense bf16 peak that MFU refers to, in operations per second. Empty for a model that is not
// in the catalogue and for a slice of a device.
std::optional<double> MfuPeakFlops(std::string_view gpu_model);

}  // namespace lockstep::answers
