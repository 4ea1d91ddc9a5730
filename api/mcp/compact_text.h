// JSON as short indented text for readers that pay by the word: no braces and quotes, and nothing
// for null and empty values. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "simdjson.h"

namespace lockstep::api {

std::string CompactText(simdjson::dom::element element);

// Cuts the text to whole characters within `max_bytes`, and says so in its last line.
std::string Bounded(std::string text, size_t max_bytes);

}  // namespace lockstep::api
