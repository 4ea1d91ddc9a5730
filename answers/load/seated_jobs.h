// Jobs known only by their placement: a scheduler's labels on device series name them, or a
// launcher registered them, but neither steps nor ranks are stored.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/load_context.h"
#include "identity/resolver.h"
#include "model/sample.h"

namespace lockstep::answers {

// Returns such jobs in `time` whose names are not in `known`, or only `name` unless it is empty.
// Sorted by name; each has at least one placement.
absl::StatusOr<std::vector<identity::JobIdentity>> ReadSeatedJobs(
    const std::string& name, TimeRange time, const std::set<std::string, std::less<>>& known,
    const LoadContext& context);

}  // namespace lockstep::answers
