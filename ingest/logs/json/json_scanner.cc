#include "ingest/logs/json/json_scanner.h"

#include "ingest/logs/text/number_text.h"
#include "ingest/logs/text/short_number.h"

namespace lockstep::logs {
namespace {

// Whether a byte stands for itself inside quotes.
bool IsPlain(char byte) { return byte >= ' ' && byte != '"' && byte != '\\' && byte < '\x7f'; }

bool IsSpace(char byte) { return byte == ' ' || byte == '\t'; }

}  // namespace

bool JsonScanner::Scan(std::string_view text, RecordWriter& out) {
  end_ = text.data() + text.size();
  if (!text.starts_with('{')) return false;
  const char* const at = ScanObject(text.data() + 1, nullptr, 0, out);
  return at != nullptr && SkipSpaces(at) == end_;
}

// `at` is after its '{'.
const char* JsonScanner::ScanObject(const char* at, const MetricKey* parent, int depth,
                                    RecordWriter& out) {
  if (depth > kMaxJsonDepth) return nullptr;
  at = SkipSpaces(at);
  if (*at == '}') return at + 1;
  while (true) {
    if (at >= end_ || *at != '"') return nullptr;
    at = ScanMember(at + 1, parent, depth, out);
    if (at == nullptr) return nullptr;
    at = SkipSpaces(at);
    if (*at == '}') return at + 1;
    if (*at != ',') return nullptr;
    at = SkipSpaces(at + 1);
  }
}

// `at` is after the opening quote of its name.
const char* JsonScanner::ScanMember(const char* at, const MetricKey* parent, int depth,
                                    RecordWriter& out) {
  const MetricKey* key = keys_.FindQuoted(at, parent);
  if (key != nullptr) {
    at += keys_.last_size();
  } else {
    const char* const quote = EndOfText(at);
    if (quote == nullptr) return nullptr;
    key = keys_.Find(std::string_view(at, static_cast<size_t>(quote - at)), parent);
    if (key == nullptr) return nullptr;
    at = quote;
  }
  if (*++at != ':') {
    at = SkipSpaces(at);
    if (*at != ':') return nullptr;
  }
  at = SkipSpaces(at + 1);
  if (at >= end_) return nullptr;
  if (IsDigit(*at) || *at == '-') return ScanNumber(at, key, out);
  if (*at == '{') return ScanObject(at + 1, key, depth + 1, out);
  if (*at != '"') return ScanWord(at, key, out);
  const char* const quote = EndOfText(at + 1);
  if (quote == nullptr) return nullptr;
  fields_.TakeText(key, std::string_view(at + 1, static_cast<size_t>(quote - at - 1)), out);
  return quote + 1;
}

inline const char* JsonScanner::ScanNumber(const char* at, const MetricKey* key,
                                           RecordWriter& out) {
  const char* const digits = at + (*at == '-' ? 1 : 0);
  if (*digits == '0' && IsDigit(digits[1])) return nullptr;
  double number = 0;
  const char* end = TakeShortNumber(at, number);
  if (end == nullptr) {
    std::string_view rest(at, static_cast<size_t>(end_ - at));
    const auto other = IsDigit(*digits) ? TakeJsonNumber(rest) : std::nullopt;
    if (!other.has_value()) return nullptr;
    number = *other;
    end = rest.data();
  }
  fields_.TakeNumber(key, number, out);
  return end;
}

const char* JsonScanner::ScanWord(const char* at, const MetricKey* key, RecordWriter& out) {
  std::string_view rest(at, static_cast<size_t>(end_ - at));
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity"}) {
    if (!TakePrefix(rest, word)) continue;
    if (const auto number = NumberOfBareWord(word)) fields_.TakeNumber(key, *number, out);
    return rest.data();
  }
  return nullptr;
}

inline const char* JsonScanner::EndOfText(const char* at) const {
  while (at < end_ && IsPlain(*at)) ++at;
  return at < end_ && *at == '"' ? at : nullptr;
}

// There is usually at most one.
inline const char* JsonScanner::SkipSpaces(const char* at) const {
  at += *at == ' ' ? 1 : 0;
  while (at < end_ && IsSpace(*at)) ++at;
  return at;
}

}  // namespace lockstep::logs
