// Times of the API's answers, in Unix seconds. Pure.
#pragma once

#include <cmath>
#include <string>

#include "absl/strings/str_format.h"
#include "cli/time_text.h"

namespace lockstep::cli {

// As a parameter of a question.
inline std::string SecondsText(double time_s) { return absl::StrFormat("%.3f", time_s); }

// For people; "" of a time that is not known.
inline std::string WhenText(double time_s) {
  return std::isfinite(time_s) ? TimeText(std::llround(time_s * 1e3)) : "";
}

}  // namespace lockstep::cli
