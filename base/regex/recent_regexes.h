// RecentRegexes: the small expressions that were compiled last, because queries repeat theirs and
// compiling one takes longer than matching it against a few labels.
//
// One user at a time has an expression: users share a lock in it, which they would wait for on a
// machine with many processors. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/string_map.h"

namespace re2 {
class RE2;
}

namespace lockstep {

class RecentRegexes {
 public:
  using RegexPtr = std::shared_ptr<const re2::RE2>;

  // The memory that each may have, with all states that matching adds. It is taken from what is
  // left of the process's memory for expressions; where nothing is left, nothing more is kept.
  static constexpr uint64_t kBytesOfEach = 512 << 10;

  // Keeps at most that many.
  explicit RecentRegexes(size_t max_count) : max_count_(max_count) {}
  ~RecentRegexes() { Clear(); }
  RecentRegexes(const RecentRegexes&) = delete;
  RecentRegexes& operator=(const RecentRegexes&) = delete;
  // The process's, which gives way when memory runs out (base/budget/memory_budget.h).
  static RecentRegexes& OfProcess();

  // Null if it is not kept, or in use. `key` tells expressions and their options apart.
  RegexPtr Find(std::string_view key);
  // Forgets the one that was not used for longest if there are too many.
  void Add(std::string_view key, RegexPtr regex);
  // Forgets all, and says whether there were any.
  bool Clear();

 private:
  struct Kept {
    std::string key;
    RegexPtr regex;
  };

  const size_t max_count_;
  Mutex mutex_;
  std::list<Kept> kept_ LOCKSTEP_GUARDED_BY(mutex_);  // the one that was used last comes first
  StringMap<std::list<Kept>::iterator> by_key_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
