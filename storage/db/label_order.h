// The order of many label sets. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/labels.h"

namespace lockstep {

// Appends a text that compares with others of its kind, byte by byte, as the label sets do: to sort by
// these looks at the labels once, not at every comparison.
void AppendOrderKey(const LabelSet& labels, std::string& out);

// The indices of `sets`, in the order of labels; equal ones stay as they are. Null is not allowed.
std::vector<uint32_t> OrderByLabels(std::span<const LabelSet* const> sets);

}  // namespace lockstep
