#include "import/traces/records/trace_problems.h"

#include "absl/strings/str_format.h"

namespace lockstep::traces {

void TraceProblems::Count(std::string_view reason, uint64_t offset) {
  for (TraceProblem& problem : problems_) {
    if (problem.reason != reason) continue;
    ++problem.count;
    return;
  }
  problems_.push_back({reason, 1, offset});
}

std::string TraceProblems::ToString() const {
  std::string text;
  for (const TraceProblem& problem : problems_) {
    absl::StrAppendFormat(&text, "%s%d x %s (first at byte %d)", text.empty() ? "" : ", ",
                          problem.count, problem.reason, problem.first_offset);
  }
  return text;
}

}  // namespace lockstep::traces
