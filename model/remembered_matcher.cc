#include "model/remembered_matcher.h"

#include <map>
#include <utility>

#include "base/mutex.h"

namespace lockstep {
namespace {

constexpr size_t kMostMatchers = 256;
// A longer list of names comes from a single query and is not reused.
constexpr size_t kMostPatternBytes = 8192;

struct Remembered {
  Mutex mutex;
  // By label name and pattern.
  std::map<std::pair<std::string, std::string>, Matcher> matchers LOCKSTEP_GUARDED_BY(mutex);
};

}  // namespace

absl::StatusOr<Matcher> RememberedRegexMatcher(std::string_view name, std::string_view pattern) {
  static auto* const remembered = new Remembered();
  std::pair<std::string, std::string> key(name, pattern);
  {
    const MutexLock lock(remembered->mutex);
    const auto known = remembered->matchers.find(key);
    if (known != remembered->matchers.end()) return known->second;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(
      Matcher matcher, Matcher::Make(MatchType::kRegex, std::string(name), std::string(pattern)));
  if (pattern.size() > kMostPatternBytes) return matcher;
  const MutexLock lock(remembered->mutex);
  if (remembered->matchers.size() >= kMostMatchers) remembered->matchers.clear();
  remembered->matchers.emplace(std::move(key), matcher);
  return matcher;
}

}  // namespace lockstep
