#include "query/promql/parser/token.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

struct Keyword {
  std::string_view word;
  TokenKind kind;
};

constexpr Keyword kKeywords[] = {
    {"anchored", TokenKind::kAnchored},
    {"and", TokenKind::kAnd},
    {"atan2", TokenKind::kAtan2},
    {"avg", TokenKind::kAvg},
    {"bool", TokenKind::kBool},
    {"bottomk", TokenKind::kBottomk},
    {"by", TokenKind::kBy},
    {"count", TokenKind::kCount},
    {"count_values", TokenKind::kCountValues},
    {"end", TokenKind::kEnd},
    {"fill", TokenKind::kFill},
    {"fill_left", TokenKind::kFillLeft},
    {"fill_right", TokenKind::kFillRight},
    {"group", TokenKind::kGroup},
    {"group_left", TokenKind::kGroupLeft},
    {"group_right", TokenKind::kGroupRight},
    {"ignoring", TokenKind::kIgnoring},
    {"inf", TokenKind::kNumber},
    {"limit_ratio", TokenKind::kLimitRatio},
    {"limitk", TokenKind::kLimitk},
    {"max", TokenKind::kMax},
    {"max_of", TokenKind::kMaxOf},
    {"min", TokenKind::kMin},
    {"min_of", TokenKind::kMinOf},
    {"nan", TokenKind::kNumber},
    {"offset", TokenKind::kOffset},
    {"on", TokenKind::kOn},
    {"or", TokenKind::kOr},
    {"quantile", TokenKind::kQuantile},
    {"range", TokenKind::kRange},
    {"smoothed", TokenKind::kSmoothed},
    {"start", TokenKind::kStart},
    {"stddev", TokenKind::kStddev},
    {"stdvar", TokenKind::kStdvar},
    {"step", TokenKind::kStep},
    {"sum", TokenKind::kSum},
    {"topk", TokenKind::kTopk},
    {"unless", TokenKind::kUnless},
    {"without", TokenKind::kWithout},
};

// Prometheus' names of the kinds that have a value of their own; empty for others.
std::string_view KindName(TokenKind kind) {
  switch (kind) {
    case TokenKind::kError:
      return "error ";
    case TokenKind::kIdentifier:
      return "identifier ";
    case TokenKind::kMetricIdentifier:
      return "metric identifier ";
    case TokenKind::kString:
      return "string ";
    case TokenKind::kNumber:
      return "number ";
    case TokenKind::kDuration:
      return "duration ";
    default:
      return "";
  }
}

}  // namespace

TokenKind KeywordKind(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = absl::ascii_tolower(static_cast<unsigned char>(c));
  const auto* found = std::lower_bound(
      std::begin(kKeywords), std::end(kKeywords), lower,
      [](const Keyword& keyword, const std::string& w) { return keyword.word < w; });
  if (found == std::end(kKeywords) || found->word != lower) return TokenKind::kIdentifier;
  return found->kind;
}

std::string Describe(const Token& token) {
  constexpr size_t kShownChars = 10;
  const TokenKind kind = token.kind;
  if (kind == TokenKind::kEof) return "end of input";
  if (IsKeyword(kind)) return absl::StrFormat("<%s>", token.text);
  if (IsOperator(kind)) return absl::StrFormat("<op:%s>", token.text);
  if (IsAggregator(kind)) return absl::StrFormat("<aggr:%s>", token.text);
  const bool is_name = kind == TokenKind::kIdentifier || kind == TokenKind::kMetricIdentifier;
  const bool shorten = !is_name && token.text.size() > kShownChars;
  const std::string_view shown = shorten ? FirstChars(token.text, kShownChars) : token.text;
  return absl::StrFormat("%s%s%s", KindName(kind), Quote(shown), shorten ? "..." : "");
}

bool IsMetricName(TokenKind kind) {
  switch (kind) {
    case TokenKind::kIdentifier:
    case TokenKind::kMetricIdentifier:
    case TokenKind::kAnd:
    case TokenKind::kOr:
    case TokenKind::kUnless:
    case TokenKind::kOffset:
    case TokenKind::kAnchored:
    case TokenKind::kSmoothed:
    case TokenKind::kBy:
    case TokenKind::kWithout:
    case TokenKind::kFill:
    case TokenKind::kFillLeft:
    case TokenKind::kFillRight:
      return true;
    default:
      return IsAggregator(kind) || IsFunctionWord(kind);
  }
}

bool StartsExpression(TokenKind kind) {
  switch (kind) {
    case TokenKind::kNumber:
    case TokenKind::kDuration:
    case TokenKind::kString:
    case TokenKind::kLeftParen:
    case TokenKind::kLeftBrace:
    case TokenKind::kAdd:
    case TokenKind::kSub:
      return true;
    default:
      return IsMetricName(kind);
  }
}

bool IsGroupingLabel(TokenKind kind) {
  switch (kind) {
    case TokenKind::kWithout:
      return false;
    case TokenKind::kBool:
    case TokenKind::kOn:
    case TokenKind::kIgnoring:
    case TokenKind::kGroupLeft:
    case TokenKind::kGroupRight:
    case TokenKind::kAtan2:
      return true;
    default:
      return IsMetricName(kind);
  }
}

}  // namespace lockstep::promql
