// What trainers say of a job as a whole, collected series by series.
#pragma once

#include "answers/loaded_job.h"
#include "answers/series_roles.h"
#include "base/mutex.h"
#include "model/sample.h"

namespace lockstep::answers {

class FactReader {
 public:
  // Whether `role` says something of the job as a whole.
  static bool Tells(StepRole role);

  // The last sample counts; of several series the greatest. Precondition: Tells(role). Safe from several threads.
  void Add(StepRole role, const SampleColumns& samples);
  JobFacts facts() const;

 private:
  mutable Mutex mutex_;
  JobFacts facts_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::answers
