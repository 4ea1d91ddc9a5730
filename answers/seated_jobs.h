// Jobs that are known by where they ran alone: their devices' series name them as a scheduler does, or a launcher
// registered them, and neither steps nor ranks are stored.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "identity/resolver.h"
#include "model/sample.h"

namespace lockstep::answers {

// Of those in `time` whose name is not among `known`; only `name`, unless that is empty. Sorted by name; each with a
// placement at least.
absl::StatusOr<std::vector<identity::JobIdentity>> ReadSeatedJobs(
    const std::string& name, TimeRange time, const std::set<std::string, std::less<>>& known,
    const LoadContext& context);

}  // namespace lockstep::answers
