// Encodes the histograms of one series, one after the other, with every field exact.
//
//   flags u8: bit 0 = same layout as the previous histogram; bits 1-2 = reset hint; bit 3 = start
//     timestamp differs from the previous histogram's, or from 0 for the first; the others are 0
//   start timestamp, if it differs: zigzag varint of the difference, which wraps at 64 bits
//   layout, unless it is the same:
//     schema zigzag varint | zero threshold fixed64 | positive spans | negative spans | custom
//     values
//       spans: count varint, then per span offset zigzag varint, length varint
//       custom values: count varint, then fixed64 each
//   numbers: count, zero count, sum, positive counts, negative counts; as many as the spans say
//
// A whole number up to 2^53 is varint(zigzag(difference) * 2), where the difference is to the
// number at the same position in the previous histogram if that has the same layout and a whole
// number there, and to 0 otherwise. Every other number is varint(1) and fixed64 of its bits.
//
// Repeats of a layout are limited: when the repeated spans and custom values of a stream would
// exceed kMaxRepeatedLayoutEntries, the layout is written out again. So the input of a decoder
// bounds what it allocates.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

inline constexpr size_t kMaxRepeatedLayoutEntries = size_t{1} << 20;

// Sample times are not written. Precondition: no histogram is null, and each has as many counts as
// its spans say.
void EncodeHistograms(std::string& out, std::span<const HistogramSample> samples);

// Sets the histogram and the start timestamp of each of `samples`. kDataLoss on malformed input.
absl::Status DecodeHistograms(std::string_view& in, std::span<HistogramSample> samples);

}  // namespace lockstep
