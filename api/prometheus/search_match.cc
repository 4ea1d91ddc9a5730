#include "api/prometheus/search_match.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"

namespace lockstep::api {
namespace {

// Precondition: `text` is valid UTF-8, as all names are.
std::u32string CodePoints(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0) == 0x80;
    if (continues && !points.empty()) {
      points.back() = (points.back() << 6) | (byte & 0x3F);
    } else {
      points.push_back(byte < 0x80 ? byte
                                   : byte & (byte < 0xE0   ? 0x1F
                                             : byte < 0xF0 ? 0x0F
                                                           : 0x07));
    }
  }
  return points;
}

// The score of `term` if its first character matches at `at`; nullopt if the rest does not follow.
std::optional<double> ScoreFrom(size_t at, const std::u32string& term, const std::u32string& text) {
  const double per_character = 1.0 / static_cast<double>(text.size());
  double score = 0;
  size_t matched = 0;
  size_t behind_last = 0;
  while (matched < term.size()) {
    at = text.find(term[matched], at);
    if (at == std::u32string::npos) return std::nullopt;
    const size_t begin = at;
    while (matched < term.size() && at < text.size() && text[at] == term[matched]) {
      ++matched;
      ++at;
    }
    if (begin > behind_last) score -= static_cast<double>(begin - behind_last) * per_character;
    const size_t run = at - begin;
    score += static_cast<double>(run * run);
    behind_last = at;
  }
  const size_t rest = text.size() - behind_last;
  if (rest > 0) score -= static_cast<double>(rest) * per_character * 0.5;
  return score;
}

double SubsequenceScore(const std::u32string& term, const std::u32string& text) {
  constexpr double kOfWhole = 0.999;
  if (term.size() > text.size()) return 0;
  double best = -1;
  const size_t last = text.size() - term.size();
  for (size_t at = text.find(term.front()); at <= last; at = text.find(term.front(), at + 1)) {
    const std::optional<double> score = ScoreFrom(at, term, text);
    // If the term cannot be completed from here, it cannot from a later position either.
    if (!score) break;
    best = std::max(best, *score);
  }
  if (best < 0) return 0;
  return best / static_cast<double>(term.size() * term.size()) * kOfWhole;
}

// Precondition: `name` contains `term`, but not at its beginning.
double PartScore(size_t at, std::string_view term, std::string_view name) {
  const size_t before = CodePoints(name.substr(0, at)).size();
  const size_t latest = CodePoints(name).size() - CodePoints(term).size();
  return 1.0 - 0.9 * static_cast<double>(before) / static_cast<double>(latest);
}

// Matching characters within half the length of the longer text, and how many of them are out of
// order.
struct Common {
  double matches = 0;
  double transpositions = 0;
};

Common CommonOf(const std::u32string& shorter, const std::u32string& longer) {
  const size_t reach = longer.size() < 4 ? 0 : longer.size() / 2 - 1;
  std::vector<bool> in_shorter(shorter.size());
  std::vector<bool> in_longer(longer.size());
  Common common;
  for (size_t i = 0; i < shorter.size(); ++i) {
    const size_t end = std::min(i + reach + 1, longer.size());
    for (size_t j = i > reach ? i - reach : 0; j < end; ++j) {
      if (in_longer[j] || shorter[i] != longer[j]) continue;
      in_shorter[i] = in_longer[j] = true;
      ++common.matches;
      break;
    }
  }
  size_t j = 0;
  for (size_t i = 0; i < shorter.size(); ++i) {
    if (!in_shorter[i]) continue;
    while (!in_longer[j]) ++j;
    if (shorter[i] != longer[j]) ++common.transpositions;
    ++j;
  }
  return common;
}

double JaroWinkler(const std::u32string& a, const std::u32string& b) {
  if (a.empty() || b.empty()) return 0;
  const auto& [shorter, longer] = std::minmax(
      a, b, [](const auto& one, const auto& other) { return one.size() < other.size(); });
  const auto [matches, transpositions] = CommonOf(shorter, longer);
  if (matches == 0) return 0;
  const double per_shorter = 1.0 / static_cast<double>(shorter.size());
  const double per_longer = 1.0 / static_cast<double>(longer.size());
  const double jaro =
      (matches * per_shorter + matches * per_longer + (matches - transpositions * 0.5) / matches) /
      3.0;
  constexpr size_t kMaxPrefix = 4;
  constexpr double kPerPrefix = 0.1;
  size_t prefix = 0;
  while (prefix < std::min(kMaxPrefix, shorter.size()) && shorter[prefix] == longer[prefix]) {
    ++prefix;
  }
  return jaro + static_cast<double>(prefix) * kPerPrefix * (1.0 - jaro);
}

std::optional<double> MatchOne(std::string_view name, std::string_view term,
                               const SearchTerms& terms) {
  if (name.starts_with(term)) return 1;
  double score = 0;
  if (terms.algorithm == FuzzAlgorithm::kSubsequence) {
    score = SubsequenceScore(CodePoints(term), CodePoints(name));
  } else if (const size_t at = name.find(term); at != std::string_view::npos) {
    return PartScore(at, term, name);
  } else if (terms.threshold > 0) {
    score = JaroWinkler(CodePoints(term), CodePoints(name));
  }
  if (score > 0 && score >= terms.threshold) return score;
  return std::nullopt;
}

}  // namespace

std::optional<double> MatchName(std::string_view name, const SearchTerms& terms) {
  std::string lower;
  if (!terms.case_sensitive) {
    lower = absl::AsciiStrToLower(std::string(name));
    name = lower;
  }
  std::optional<double> best;
  bool has_terms = false;
  for (const std::string& term : terms.terms) {
    if (term.empty()) continue;
    has_terms = true;
    const std::string folded = terms.case_sensitive ? term : absl::AsciiStrToLower(term);
    const std::optional<double> score = MatchOne(name, folded, terms);
    if (score && (!best || *score > *best)) best = score;
    if (best && *best >= 1) break;
  }
  return has_terms ? best : 1;
}

}  // namespace lockstep::api
