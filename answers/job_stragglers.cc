#include "answers/job_stragglers.h"

#include "training/open_episodes.h"

namespace lockstep::answers {

training::StragglerAnswer FindStragglers(const LoadedJob& job,
                                         std::optional<training::StragglerMethod> method,
                                         TaskPool* pool, training::StragglerMemo* memo) {
  const training::StragglerInput input{job.job, job.steps, job.devices, pool, job.links, memo};
  training::StragglerAnswer answer = method.has_value() ? training::FindStragglersBy(*method, input)
                                                        : training::FindStragglers(input);
  if (job.is_running) training::KeepEpisodesOpen(job.steps, answer);
  return answer;
}

}  // namespace lockstep::answers
