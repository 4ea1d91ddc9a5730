// How well a name matches a search: the two algorithms of Prometheus' search endpoints. Functions
// of their arguments; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::api {

enum class FuzzAlgorithm { kSubsequence, kJaroWinkler };

struct SearchTerms {
  // A name must match one of these; without terms every name matches.
  std::vector<std::string> terms;
  FuzzAlgorithm algorithm = FuzzAlgorithm::kSubsequence;
  double threshold = 0;  // minimum score, 0 to 1
  bool case_sensitive = true;
};

// The best score of any of the `terms`, at most 1; nullopt if `name` matches none. A name that
// begins with a term scores 1.
//
// kSubsequence: the characters of the term occur in order. The score is
//   (sum of squares of the runs - gaps / length - rest / (2 * length)) / (length of the term)^2
// where a run is a sequence of adjacent matches, a gap is the text skipped before a run, and the
// rest is the text after the last run. The best of several starting positions counts, and a partial
// match gets 0.999 of its score.
//
// kJaroWinkler: the name contains the term, which scores higher the earlier it occurs, at least
// 0.1; or, with a threshold, their Jaro-Winkler similarity reaches it.
//
// Letters beyond ASCII are case-sensitive.
std::optional<double> MatchName(std::string_view name, const SearchTerms& terms);

}  // namespace lockstep::api
