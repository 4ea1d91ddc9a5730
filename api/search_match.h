// How well a name answers what somebody types: the two ways of Prometheus' search endpoints.
// Functions of their arguments, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::api {

enum class FuzzAlgorithm { kSubsequence, kJaroWinkler };

struct SearchTerms {
  // A name has to answer one of them; without terms every name does.
  std::vector<std::string> terms;
  FuzzAlgorithm algorithm = FuzzAlgorithm::kSubsequence;
  double threshold = 0;  // of the score, 0 to 1
  bool case_sensitive = true;
};

// The best score that one of `terms` gives, 1 at most; nothing if `name` answers none. A name that
// begins with a term has 1.
//
// kSubsequence: the characters of the term occur in their order. Its score is
//   (sum of squares of the runs - gaps / length - rest / (2 * length)) / (length of the term)^2
// where a run is characters that follow each other, a gap is what is left out before one, and the
// rest comes behind the last. Of several beginnings the best one counts, and what is not the whole
// has 0.999 of it.
//
// kJaroWinkler: the term is a part, which scores the more the earlier it is, 0.1 at least; or, with
// a threshold, their similarity by Jaro and Winkler reaches that.
//
// Letters beyond ASCII have no case here.
std::optional<double> MatchName(std::string_view name, const SearchTerms& terms);

}  // namespace lockstep::api
