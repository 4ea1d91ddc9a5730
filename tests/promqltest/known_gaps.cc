#include "tests/promqltest/known_gaps.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_format.h"

namespace lockstep::promqltest {

absl::StatusOr<std::map<std::string, KnownGaps>> ParseKnownGaps(std::string_view text) {
  std::map<std::string, KnownGaps> gaps;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const size_t colon = line.find(':');
    const size_t blank = line.find(' ');
    int number = 0;
    if (colon == line.npos || blank == line.npos || blank < colon ||
        std::from_chars(line.data() + colon + 1, line.data() + blank, number).ptr !=
            line.data() + blank) {
      return absl::InvalidArgumentError(absl::StrFormat("no known gap: '%s'", line));
    }
    gaps[std::string(line.substr(0, colon))][number] = std::string(line.substr(blank + 1));
  }
  return gaps;
}

}  // namespace lockstep::promqltest
