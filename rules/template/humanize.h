// Formats numbers for people like Prometheus' templates.
#pragma once

#include <string>

namespace lockstep::rules {

std::string Humanize(double value);            // 1234567 -> "1.235M"
std::string Humanize1024(double value);        // 1048576 -> "1Mi"
std::string HumanizeDuration(double seconds);  // 3725 -> "1h 2m 5s"
std::string HumanizePercentage(double ratio);  // 0.123456 -> "12.35%"

}  // namespace lockstep::rules
