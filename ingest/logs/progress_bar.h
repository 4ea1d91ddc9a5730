// tqdm's progress bars. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::logs {

struct ProgressBar {
  int64_t done;
  int64_t total;
};

// Of a bar without a description: "  7%|#   | 40/520 [02:00<--:--,  3.54s/it]".
std::optional<ProgressBar> ProgressBarOf(std::string_view text);

}  // namespace lockstep::logs
