#include "answers/load/loaded_job.h"

#include "training/bottlenecks/bottlenecks.h"

namespace lockstep::answers {

JobNeeds JobNeeds::Everything() {
  JobNeeds needs{.phases = true, .loss = true, .memory = true, .operations = true};
  needs.devices.set();
  needs.links = true;
  return needs;
}

std::bitset<catalogue::kRoleCount> CountersOfClasses() {
  std::bitset<catalogue::kRoleCount> counters;
  for (const catalogue::Role counter : training::CountersOfClasses()) {
    counters.set(static_cast<size_t>(counter));
  }
  return counters;
}

}  // namespace lockstep::answers
