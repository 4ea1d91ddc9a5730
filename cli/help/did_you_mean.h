// Suggests known names that are close to an unknown one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

// The number of insertions, deletions, replacements and swaps of adjacent bytes that turn one text
// into the other, ignoring case.
size_t EditDistance(std::string_view a, std::string_view b);

// At most three of `known`, closest first: those within a few typos of `word`, or else those that
// contain it. Empty if none is close.
std::vector<std::string> CloseNames(std::string_view word, const std::vector<std::string>& known);

// "; did you mean a, b or c?", or "" if none is close.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace lockstep::cli
