// The two text formats of scrape targets.
#pragma once

namespace lockstep::exposition {

enum class TextFormat {
  kPrometheus,   // 0.0.4 and 1.0.0: milliseconds, lenient whitespace, comments
  kOpenMetrics,  // 1.0: seconds, strict whitespace, "# EOF" at the end
};

}  // namespace lockstep::exposition
