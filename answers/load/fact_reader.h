// Collects what trainers report about a job as a whole, series by series.
#pragma once

#include "answers/load/loaded_job.h"
#include "base/mutex.h"
#include "catalogue/roles.h"
#include "model/sample.h"

namespace lockstep::answers {

class FactReader {
 public:
  // The last sample of a series counts and, among several series, the greatest. Precondition:
  // IsFactRole(role). Thread-safe.
  void Add(catalogue::Role role, const SampleColumns& samples);
  JobFacts facts() const;

 private:
  mutable Mutex mutex_;
  JobFacts facts_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::answers
