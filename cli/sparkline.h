// Sparklines: numbers as a line of blocks, one character each. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lockstep::cli {

// What a terminal can show.
enum class Glyphs { kBlocks, kAscii };

// Blocks where the environment's locale (LC_ALL, LC_CTYPE, LANG) is one of UTF-8.
Glyphs GlyphsOfLocale();

// What the lowest and the highest block mean.
struct SparkScale {
  double low = 0;
  double high = 0;
};

// From the least to the greatest of the finite values; {0, 0} if there are none.
SparkScale ScaleOf(std::span<const double> values);

// One character for each value; a blank for one that is not finite. On a scale of no height all are of
// half the height.
std::string Sparkline(std::span<const double> values, SparkScale scale, Glyphs glyphs);

// `values` in at most `columns` parts of equal length, of each part the value that is farthest from the
// mean of all: what stands out stays. NaN for parts without a finite one.
std::vector<double> Condense(std::span<const double> values, size_t columns);

}  // namespace lockstep::cli
