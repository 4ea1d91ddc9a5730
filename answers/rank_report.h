// What a rank has reported in an attempt so far.
#pragma once

#include <cstdint>
#include <optional>

#include "training/frontier.h"

namespace lockstep::answers {

struct RankReport {
  training::RankProgress progress;
  std::optional<int64_t> taken_ms = {};  // when it ended the last of its steps up to the frontier
};

}  // namespace lockstep::answers
