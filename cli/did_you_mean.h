// Suggestions for a name that does not exist: which known names its writer may have meant. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

// How many insertions, deletions, replacements and swaps of neighbouring bytes make one text of the other, letters of
// either case being equal.
size_t EditDistance(std::string_view a, std::string_view b);

// At most three of `known`, the closest first: those with a few typing errors between them and `word`, or else those
// that contain it. Empty if none is close.
std::vector<std::string> CloseNames(std::string_view word, const std::vector<std::string>& known);

// "; did you mean a, b or c?", or "" if none is close.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace lockstep::cli
