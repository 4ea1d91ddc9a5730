// TargetMemo: identifies the targets of a request's series by the bytes that only their series
// share. Not thread-safe.
//
// A series' bytes come in two parts, before and after the metric name. Senders write metric by
// metric or target by target, and repeat their targets in the same order: so a series is first
// compared with the target that came next last time, which costs less than a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/series_key.h"

namespace lockstep {

class TargetMemo {
 public:
  // Further targets evict each other.
  static constexpr uint32_t kMaxTargets = 1024;

  struct Target {
    std::string_view before, after;
    LabelsHash before_hash, after_hash;
    uint64_t request = 0;  // invalid in other requests
    uint32_t next = 0;     // the target that came next last time
  };
  struct Found {
    uint32_t number = 0;    // below kMaxTargets
    bool is_known = false;  // if false, it has this number from now on
  };

  TargetMemo() : targets_(kMaxTargets) {}

  // Forgets everything, for the next request.
  void Clear() { ++request_; }

  // The bytes must stay unchanged until Clear().
  Found Find(std::string_view before, std::string_view after);
  // Removes the target.
  void Forget(uint32_t number) { targets_[number].request = 0; }

  const Target& target(uint32_t number) const { return targets_[number]; }

 private:
  std::vector<Target> targets_;
  uint64_t request_ = 1;
  uint32_t last_ = 0;
};

}  // namespace lockstep
