#include "answers/loaded_job.h"

namespace lockstep::answers {

JobNeeds JobNeeds::Everything() {
  JobNeeds needs{.phases = true, .loss = true, .memory = true, .operations = true};
  needs.devices.set();
  needs.links = true;
  return needs;
}

}  // namespace lockstep::answers
