#include "cli/terminal/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "absl/strings/ascii.h"

namespace lockstep::cli {
namespace {

constexpr size_t kLevels = 8;
using Levels = std::array<std::string_view, kLevels>;
constexpr Levels kBlockLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr Levels kAsciiLevels = {"_", ".", ":", "-", "=", "+", "*", "#"};

size_t LevelOf(double value, SparkScale scale) {
  if (!(scale.high > scale.low)) return kLevels / 2 - 1;
  const double share = (value - scale.low) / (scale.high - scale.low);
  return static_cast<size_t>(std::clamp(share * kLevels, 0.0, double{kLevels - 1}));
}

double MeanOf(std::span<const double> values) {
  double sum = 0;
  size_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double FarthestFrom(double mean, std::span<const double> values) {
  double farthest = std::numeric_limits<double>::quiet_NaN();
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (std::isnan(farthest) || std::abs(value - mean) > std::abs(farthest - mean))
      farthest = value;
  }
  return farthest;
}

}  // namespace

Glyphs GlyphsOfLocale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* locale = std::getenv(name);
    if (locale == nullptr || *locale == '\0') continue;
    const std::string lower = absl::AsciiStrToLower(locale);
    const bool is_utf8 =
        lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
    return is_utf8 ? Glyphs::kBlocks : Glyphs::kAscii;
  }
  return Glyphs::kAscii;
}

SparkScale ScaleOf(std::span<const double> values) {
  SparkScale scale{std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    scale.low = std::min(scale.low, value);
    scale.high = std::max(scale.high, value);
  }
  return scale.low <= scale.high ? scale : SparkScale{};
}

std::string Sparkline(std::span<const double> values, SparkScale scale, Glyphs glyphs) {
  const Levels& levels = glyphs == Glyphs::kBlocks ? kBlockLevels : kAsciiLevels;
  std::string line;
  for (const double value : values) {
    line += std::isfinite(value) ? levels[LevelOf(value, scale)] : " ";
  }
  return line;
}

std::vector<double> Condense(std::span<const double> values, size_t columns) {
  if (values.size() <= columns) return {values.begin(), values.end()};
  const double mean = MeanOf(values);
  std::vector<double> condensed;
  for (size_t column = 0; column < columns; ++column) {
    const size_t begin = column * values.size() / columns;
    const size_t end = (column + 1) * values.size() / columns;
    condensed.push_back(FarthestFrom(mean, values.subspan(begin, end - begin)));
  }
  return condensed;
}

}  // namespace lockstep::cli
