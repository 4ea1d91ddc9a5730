#include "rules/template/humanize.h"

#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "absl/strings/str_format.h"

namespace lockstep::rules {
namespace {

constexpr std::array<std::string_view, 8> kLarge = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
constexpr std::array<std::string_view, 8> kSmall = {"m", "u", "n", "p", "f", "a", "z", "y"};
constexpr std::array<std::string_view, 8> kBinary = {"ki", "Mi", "Gi", "Ti",
                                                     "Pi", "Ei", "Zi", "Yi"};

std::string FourDigits(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return absl::StrFormat("%.4g", value);
}

std::string Divided(double value, double step, std::span<const std::string_view> prefixes) {
  std::string_view prefix;
  for (const std::string_view larger : prefixes) {
    if (std::abs(value) < step) break;
    prefix = larger;
    value /= step;
  }
  return absl::StrFormat("%s%s", FourDigits(value), prefix);
}

std::string Multiplied(double value) {
  std::string_view prefix;
  for (const std::string_view smaller : kSmall) {
    if (std::abs(value) >= 1) break;
    prefix = smaller;
    value *= 1000;
  }
  return absl::StrFormat("%s%s", FourDigits(value), prefix);
}

}  // namespace

std::string Humanize(double value) {
  if (value == 0 || !std::isfinite(value)) return FourDigits(value);
  return std::abs(value) >= 1 ? Divided(value, 1000, kLarge) : Multiplied(value);
}

std::string Humanize1024(double value) {
  if (std::abs(value) <= 1 || !std::isfinite(value)) return FourDigits(value);
  return Divided(value, 1024, kBinary);
}

std::string HumanizeDuration(double seconds) {
  if (!std::isfinite(seconds)) return FourDigits(seconds);
  if (seconds == 0) return "0s";
  if (std::abs(seconds) < 1) return Multiplied(seconds) + "s";
  const std::string_view sign = seconds < 0 ? "-" : "";
  const double length = std::abs(seconds);
  // Longer durations need not be distinguished.
  const auto whole = static_cast<int64_t>(std::min(length, 9e18));
  const int64_t s = whole % 60, m = whole / 60 % 60, h = whole / 3600 % 24, d = whole / 86'400;
  if (d != 0) return absl::StrFormat("%s%dd %dh %dm %ds", sign, d, h, m, s);
  if (h != 0) return absl::StrFormat("%s%dh %dm %ds", sign, h, m, s);
  if (m != 0) return absl::StrFormat("%s%dm %ds", sign, m, s);
  return absl::StrFormat("%s%ss", sign, FourDigits(length));
}

std::string HumanizePercentage(double ratio) { return FourDigits(ratio * 100) + "%"; }

}  // namespace lockstep::rules
