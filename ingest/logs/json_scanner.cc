#include "ingest/logs/json_scanner.h"

#include <cmath>

#include "ingest/logs/number_text.h"

namespace lockstep::logs {
namespace {

// A byte that stands for itself inside quotes, in one byte.
bool IsPlain(char byte) { return byte >= ' ' && byte != '"' && byte != '\\' && byte < '\x7f'; }

}  // namespace

bool JsonScanner::Scan(std::string_view text, RecordWriter& out) {
  at_ = text.data();
  end_ = at_ + text.size();
  if (!TakeByte('{') || !ScanObject(nullptr, 0, out)) return false;
  SkipSpaces();
  return at_ == end_;
}

// Behind its '{'.
bool JsonScanner::ScanObject(const MetricKey* parent, int depth, RecordWriter& out) {
  if (depth > kMaxJsonDepth) return false;
  SkipSpaces();
  if (TakeByte('}')) return true;
  while (true) {
    if (!TakeByte('"') || !ScanMember(parent, depth, out)) return false;
    SkipSpaces();
    if (TakeByte('}')) return true;
    if (!TakeByte(',')) return false;
    SkipSpaces();
  }
}

// Behind the first quote of its name.
bool JsonScanner::ScanMember(const MetricKey* parent, int depth, RecordWriter& out) {
  const MetricKey* key = keys_.FindQuoted(at_, parent);
  if (key != nullptr) {
    at_ += keys_.last_size() + 1;
  } else {
    std::string_view name;
    if (!TakeText(name)) return false;
    key = keys_.Find(name, parent);
    if (key == nullptr) return false;
  }
  SkipSpaces();
  if (!TakeByte(':')) return false;
  SkipSpaces();
  if (at_ >= end_) return false;
  if (IsDigit(*at_) || *at_ == '-') return ScanNumber(key, out);
  if (TakeByte('"')) return ScanText(key, out);
  if (TakeByte('{')) return ScanObject(key, depth + 1, out);
  return ScanWord(key, out);
}

bool JsonScanner::ScanNumber(const MetricKey* key, RecordWriter& out) {
  std::string_view rest(at_, static_cast<size_t>(end_ - at_));
  const char* const digits = at_ + (*at_ == '-' ? 1 : 0);
  if (digits + 1 >= end_ || !IsDigit(*digits)) return false;
  if (*digits == '0' && IsDigit(digits[1])) return false;
  const auto number = TakeJsonNumber(rest);
  if (!number.has_value()) return false;
  at_ = rest.data();
  fields_.TakeNumber(key, *number, out);
  return true;
}

bool JsonScanner::ScanText(const MetricKey* key, RecordWriter& out) {
  std::string_view text;
  if (!TakeText(text)) return false;
  fields_.TakeText(key, text, out);
  return true;
}

bool JsonScanner::ScanWord(const MetricKey* key, RecordWriter& out) {
  std::string_view rest(at_, static_cast<size_t>(end_ - at_));
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity"}) {
    if (!TakePrefix(rest, word)) continue;
    at_ = rest.data();
    if (const auto number = NumberOfBareWord(word)) fields_.TakeNumber(key, *number, out);
    return true;
  }
  return false;
}

bool JsonScanner::TakeText(std::string_view& text) {
  const char* const begin = at_;
  while (at_ < end_ && IsPlain(*at_)) ++at_;
  text = std::string_view(begin, static_cast<size_t>(at_ - begin));
  return TakeByte('"');
}

bool JsonScanner::TakeByte(char byte) {
  if (at_ >= end_ || *at_ != byte) return false;
  ++at_;
  return true;
}

void JsonScanner::SkipSpaces() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
}

}  // namespace lockstep::logs
