#include "query/promql/parser/parse_error.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep::promql {

absl::Status ParseError(std::string_view query, int position, std::string_view message) {
  if (query.empty()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("unknown position: parse error: %s", message));
  }
  const std::string_view before = query.substr(0, static_cast<size_t>(position));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t last_break = before.rfind('\n');
  const size_t column = before.size() - (last_break == before.npos ? 0 : last_break + 1) + 1;
  return absl::InvalidArgumentError(
      absl::StrFormat("%d:%d: parse error: %s", line, column, message));
}

}  // namespace lockstep::promql
