// Histograms of one series, one after the other, every field exact.
//
//   flags u8: bit 0 = same layout as the histogram before; bits 1-2 = reset hint; bit 3 = another start
//     timestamp than the histogram before, or than 0 for the first; the others are 0
//   start timestamp, if it is another: zigzag varint of the difference, which wraps at 64 bits
//   layout, unless it is the same:
//     schema zigzag varint | zero threshold fixed64 | positive spans | negative spans | custom
//     values
//       spans: count varint, then per span offset zigzag varint, length varint
//       custom values: count varint, then fixed64 each
//   numbers: count, zero count, sum, positive counts, negative counts; as many as the spans say
//
// A whole number up to 2^53 is varint(zigzag(difference) * 2), the difference being to the number
// at the same place in the histogram before if that has the same layout and a whole number there,
// else to 0. Every other number is varint(1) and fixed64 of its bits.
//
// A layout is not repeated without end: when the spans and custom values repeated in a stream would
// exceed kMaxRepeatedLayoutEntries, the layout is written out again. So what a decoder allocates is
// bounded by its input.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

inline constexpr size_t kMaxRepeatedLayoutEntries = size_t{1} << 20;

// Times of samples are not written. Precondition: no histogram is null, and each has as many counts as its
// spans say.
void EncodeHistograms(std::string& out, std::span<const HistogramSample> samples);

// Sets the histogram and the start timestamp of each of `samples`. kDataLoss on anything malformed.
absl::Status DecodeHistograms(std::string_view& in, std::span<HistogramSample> samples);

}  // namespace lockstep
