// TargetState: a target's health and last scrape, for the API. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "base/mutex.h"
#include "scrape/target_metadata.h"

namespace lockstep::scrape {

enum class Health { kUnknown, kUp, kDown };

struct LastScrape {
  Health health = Health::kUnknown;  // unknown until the first scrape
  std::string error;
  int64_t time_ms = 0;
  double duration_seconds = 0;
};

class TargetState {
 public:
  void Set(LastScrape last) {
    const MutexLock lock(mutex_);
    last_ = std::move(last);
  }
  LastScrape Get() const {
    const MutexLock lock(mutex_);
    return last_;
  }
  TargetMetadata& metadata() { return metadata_; }
  const TargetMetadata& metadata() const { return metadata_; }

 private:
  mutable Mutex mutex_;
  LastScrape last_ LOCKSTEP_GUARDED_BY(mutex_);
  TargetMetadata metadata_;
};

}  // namespace lockstep::scrape
