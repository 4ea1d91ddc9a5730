// Sorts many label sets. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/labels.h"

namespace lockstep {

// Appends a key that compares with other keys, byte by byte, as the label sets do. Sorting by keys
// reads the labels once instead of at every comparison.
void AppendOrderKey(const LabelSet& labels, std::string& out);

// The indices of `sets` in label order; equal sets keep their order. No pointer may be null.
std::vector<uint32_t> OrderByLabels(std::span<const LabelSet* const> sets);

}  // namespace lockstep
