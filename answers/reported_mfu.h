// lockstep_mfu of ranks that report how fast they compute: what they report, as a share of what their GPU could do.
//
// No step is joined to another series, so that it costs hardly more than the stored series.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "model/labels.h"
#include "training/job.h"

namespace lockstep::answers {

// Those of `jobs` whose ranks report operations, or how many they do a second: the others have no MFU. In the range of
// `selection`.
absl::StatusOr<std::vector<std::string>> JobsWithOperations(std::span<const std::string> jobs,
                                                            const Selection& selection,
                                                            const LoadContext& context);

// The series of the metric that match `selection`, in these jobs. Null if the jobs have to be loaded for that: one of them
// reports operations of each step instead, or one of the ranks reports several times.
absl::StatusOr<std::unique_ptr<SeriesSet>> SelectReportedMfu(std::span<const std::string> jobs,
                                                             const Selection& selection,
                                                             const LoadContext& context);

LabelSet MfuLabels(std::string_view job, const training::RankPlace& place);

// Operations per second that MFU is a share of: dense bf16. Nothing for a model that is not in the catalogue, and for
// a slice of a device.
std::optional<double> MfuPeakFlops(std::string_view gpu_model);

}  // namespace lockstep::answers
