// Converts Datadog's names, the same for every format. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "model/labels.h"

namespace lockstep::json {

// Times beyond this are out of range; as milliseconds they are still far from 64 bits.
inline constexpr double kMaxDatadogSeconds = 9e15;

// Normalizes a name as Datadog does: each run of characters other than letters and digits becomes
// one underscore, and none stands next to a dot.
std::string PlainDatadogName(std::string_view name);

// The label of "name:value", or of "name", whose value is "no_label_value". Views of `tag` or of
// static text.
LabelView LabelOfTag(std::string_view tag);

}  // namespace lockstep::json
