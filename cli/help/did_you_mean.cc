#include "cli/help/did_you_mean.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

constexpr size_t kMaxSuggestions = 3;
// Shorter words are contained in too many names to be useful.
constexpr size_t kMinContainedSize = 3;

// Allows one typo per three letters; shorter words would match too many names.
size_t ToleratedDistance(std::string_view word) { return word.size() / 3; }

size_t DifferenceOf(size_t a, size_t b) { return a > b ? a - b : b - a; }

// The names with the lowest rank, in alphabetical order.
std::vector<std::string> FirstOf(std::vector<std::pair<size_t, std::string>> ranked) {
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (auto& [rank, name] : ranked) {
    if (names.size() == kMaxSuggestions) break;
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  const std::string left = absl::AsciiStrToLower(std::string(a));
  const std::string right = absl::AsciiStrToLower(std::string(b));
  // Rows of the edit distance table: distances between all prefixes of `left` and `right`.
  std::vector<size_t> before_last, last(right.size() + 1), row(right.size() + 1);
  for (size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= left.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool is_swap =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::vector<std::string> CloseNames(std::string_view word, const std::vector<std::string>& known) {
  const size_t tolerated = ToleratedDistance(word);
  const std::string lower_word = absl::AsciiStrToLower(std::string(word));
  std::vector<std::pair<size_t, std::string>> similar, containing;
  for (const std::string& name : known) {
    if (DifferenceOf(name.size(), word.size()) <= tolerated) {
      const size_t distance = EditDistance(word, name);
      if (distance <= tolerated) similar.emplace_back(distance, name);
    }
    const bool contains = absl::AsciiStrToLower(name).find(lower_word) != std::string::npos;
    if (contains && word.size() >= kMinContainedSize) containing.emplace_back(name.size(), name);
  }
  return FirstOf(std::move(similar.empty() ? containing : similar));
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string> names = CloseNames(word, known);
  if (names.empty()) return "";
  std::string text = "; did you mean " + names.front();
  for (size_t i = 1; i < names.size(); ++i) {
    absl::StrAppendFormat(&text, "%s%s", i + 1 == names.size() ? " or " : ", ", names[i]);
  }
  return text + "?";
}

}  // namespace lockstep::cli
