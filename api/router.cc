#include "api/router.h"

#include <algorithm>

namespace lockstep::api {
namespace {

// Removes the first segment from the front of `path`.
std::string_view TakeSegment(std::string_view& path) {
  const size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return segment;
}

}  // namespace

std::optional<std::string_view> MatchPath(std::string_view pattern, std::string_view path) {
  std::string_view parameter;
  const bool takes_rest = pattern.ends_with('*');
  if (!takes_rest && std::count(pattern.begin(), pattern.end(), '/') !=
                         std::count(path.begin(), path.end(), '/')) {
    return std::nullopt;
  }
  while (!pattern.empty() || !path.empty()) {
    const std::string_view expected = TakeSegment(pattern);
    if (takes_rest && pattern.empty()) {
      if (path.empty()) return std::nullopt;
      return path;
    }
    const std::string_view actual = TakeSegment(path);
    if (expected.starts_with(':') && !actual.empty()) {
      parameter = actual;
    } else if (expected != actual) {
      return std::nullopt;
    }
  }
  return parameter;
}

}  // namespace lockstep::api
