// What Datadog's names become, whichever form they came in. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/labels.h"

namespace lockstep::json {

// Times beyond it are out of range: as milliseconds they are still far from 64 bits.
inline constexpr double kMaxDatadogSeconds = 9e15;

// As Datadog itself makes names plain: what is no letter or digit becomes one underscore, and none
// stands beside a dot.
std::string PlainDatadogName(std::string_view name);

// "name:value", or "name", which has the value "no_label_value". Views of `tag`, or of static
// texts.
LabelView LabelOfTag(std::string_view tag);

}  // namespace lockstep::json
