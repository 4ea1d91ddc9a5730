// TraceProblems: what a reader could not use in a file; each kind of problem once, with its count
// and first position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::traces {

struct TraceProblem {
  std::string_view reason;  // static storage
  uint64_t count = 0;
  uint64_t first_offset = 0;  // in bytes from the start of the file
};

// For one thread.
class TraceProblems {
 public:
  // `reason` is a literal: a few words in lower case, "event without a name".
  void Count(std::string_view reason, uint64_t offset);

  // In order of first appearance.
  const std::vector<TraceProblem>& all() const { return problems_; }
  // "2 x damaged record (first at byte 812), 1 x ..."; "" if there are none.
  std::string ToString() const;

 private:
  std::vector<TraceProblem> problems_;
};

}  // namespace lockstep::traces
