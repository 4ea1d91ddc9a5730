// What a rank has reported so far in an attempt.
#pragma once

#include <cstdint>
#include <optional>

#include "training/job/frontier.h"

namespace lockstep::answers {

struct RankReport {
  training::RankProgress progress;
  std::optional<int64_t> taken_ms = {};  // when it ended its last step up to the frontier
};

}  // namespace lockstep::answers
