// The two text formats in which targets show their metrics.
#pragma once

namespace lockstep::exposition {

enum class TextFormat {
  kPrometheus,   // 0.0.4 and 1.0.0: times in milliseconds, blanks nearly everywhere, comments
  kOpenMetrics,  // 1.0: times in seconds, one space where there is one, "# EOF" at the end
};

}  // namespace lockstep::exposition
