// TargetMemo: tells the targets of a request's series apart by bytes that only they share. Not thread-safe.
//
// The bytes of a series are in two pieces, before and after what names its metric. Senders write metric by metric or
// target by target, and their targets come again in the same order: so a series is first compared with the target
// that came next the last time, which costs less than a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/series_key.h"

namespace lockstep {

class TargetMemo {
 public:
  // More push each other out.
  static constexpr uint32_t kMaxTargets = 1024;

  struct Target {
    std::string_view before, after;
    LabelsHash before_hash, after_hash;
    uint64_t request = 0;  // it is none of the others'
    uint32_t next = 0;     // that came next, the last time
  };
  struct Found {
    uint32_t number = 0;    // below kMaxTargets
    bool is_known = false;  // or else it has the number from now on
  };

  TargetMemo() : targets_(kMaxTargets) {}

  // Forgets everything, for the next request.
  void Clear() { ++request_; }

  // The bytes stay as they are until Clear().
  Found Find(std::string_view before, std::string_view after);
  // Makes the target one that Find() does not know.
  void Forget(uint32_t number) { targets_[number].request = 0; }

  const Target& target(uint32_t number) const { return targets_[number]; }

 private:
  std::vector<Target> targets_;
  uint64_t request_ = 1;
  uint32_t last_ = 0;
};

}  // namespace lockstep
