// Sparklines: numbers as a row of blocks, one character each. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lockstep::cli {

// The characters that a terminal can show.
enum class Glyphs { kBlocks, kAscii };

// Blocks if the environment's locale (LC_ALL, LC_CTYPE, LANG) uses UTF-8.
Glyphs GlyphsOfLocale();

// The values of the lowest and the highest block.
struct SparkScale {
  double low = 0;
  double high = 0;
};

// From the least to the greatest finite value; {0, 0} if there are none.
SparkScale ScaleOf(std::span<const double> values);

// One character per value; a blank if it is not finite. If the scale has no height, all blocks have
// half height.
std::string Sparkline(std::span<const double> values, SparkScale scale, Glyphs glyphs);

// Divides `values` into at most `columns` parts of equal length, and keeps from each part the value
// farthest from the overall mean, so that outliers remain visible. Parts without a finite value
// become NaN.
std::vector<double> Condense(std::span<const double> values, size_t columns);

}  // namespace lockstep::cli
