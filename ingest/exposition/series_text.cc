#include "ingest/exposition/series_text.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "base/text/byte_scan.h"
#include "ingest/exposition/malformed.h"

namespace lockstep::exposition {
namespace {

constexpr size_t kNoEnd = std::string_view::npos;

constexpr uint8_t kMayBegin = 1;    // start of a label or metric name
constexpr uint8_t kMayFollow = 2;   // rest of a label or metric name
constexpr uint8_t kMetricOnly = 4;  // ':'

constexpr std::array<uint8_t, 256> NameBytes() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<size_t>(c)] = kMayBegin | kMayFollow;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<size_t>(c)] = kMayBegin | kMayFollow;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] = kMayFollow;
  classes['_'] = kMayBegin | kMayFollow;
  classes[':'] = kMetricOnly;
  return classes;
}
constexpr std::array<uint8_t, 256> kNameBytes = NameBytes();

uint8_t ClassOf(char c) { return kNameBytes[static_cast<uint8_t>(c)]; }

size_t LengthOfName(std::string_view text, uint8_t also) {
  if (text.empty() || (ClassOf(text.front()) & (kMayBegin | also)) == 0) return 0;
  size_t length = 1;
  while (length < text.size() && (ClassOf(text[length]) & (kMayFollow | also)) != 0) ++length;
  return length;
}

bool IsEscape(char c) { return c == '\\' || c == '"' || c == 'n'; }

// Appends `text` with its escapes resolved.
void AppendUnescaped(std::string& out, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool escape = text[i] == '\\' && IsEscape(next);
    if (escape) ++i;
    out += escape && next == 'n' ? '\n' : text[i];
  }
}

// Parses one series from front to back.
class Parser {
 public:
  Parser(std::string_view text, TextFormat format, SeriesLabels& out)
      : rest_(text), format_(format), out_(out) {
    out_.labels.clear();
    out_.empty_labels.clear();
    out_.unescaped.clear();
    // Keeps views of earlier parts valid.
    out_.unescaped.reserve(text.size());
  }

  absl::Status ParseSeries() {
    if (const size_t length = NameLength(rest_); length > 0) Name(Take(length));
    SkipBlanks();
    if (!rest_.empty()) LOCKSTEP_RETURN_IF_ERROR(ParseBraces());
    if (!has_name_) return Malformed("the metric name is missing");
    return Finish();
  }

  absl::Status ParseExemplar() {
    LOCKSTEP_RETURN_IF_ERROR(ParseBraces());
    if (has_name_) return Malformed("an exemplar has no name");
    return Finish();
  }

 private:
  std::string_view Take(size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  bool TakeIf(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipBlanks() {
    if (format_ == TextFormat::kOpenMetrics) return;
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
  }

  absl::Status ParseBraces() {
    if (!TakeIf('{')) return Malformed("the labels do not begin with a brace");
    SkipBlanks();
    while (!TakeIf('}')) {
      LOCKSTEP_RETURN_IF_ERROR(ParseOne());
      SkipBlanks();
      const bool has_comma = TakeIf(',');
      SkipBlanks();
      if (!has_comma && !rest_.starts_with('}') && format_ == TextFormat::kOpenMetrics) {
        return Malformed("expected a comma or a closing brace after a label");
      }
    }
    return rest_.empty() ? absl::OkStatus() : Malformed("there is text after the labels");
  }

  // A label, or the metric name in quotes.
  absl::Status ParseOne() {
    const bool quoted = rest_.starts_with('"');
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view name, quoted ? TakeQuoted() : TakeBareName());
    SkipBlanks();
    if (quoted && (rest_.starts_with(',') || rest_.starts_with('}'))) {
      if (has_name_) return Malformed("the metric name appears twice");
      if (name.empty()) return Malformed("the metric name is empty");
      if (!IsValidUtf8(name)) return Malformed("the metric name is not valid UTF-8");
      Name(name);
      return absl::OkStatus();
    }
    if (!TakeIf('=')) return Malformed(absl::StrFormat("label %s has no value", name));
    SkipBlanks();
    if (!rest_.starts_with('"')) {
      return Malformed(absl::StrFormat("the value of label %s is not quoted", name));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view value, TakeQuoted());
    if (name.empty()) return Malformed("a label name is empty");
    if (quoted && !IsValidUtf8(name)) return Malformed("a label name is not valid UTF-8");
    if (!IsValidUtf8(value)) {
      return Malformed(absl::StrFormat("the value of label %s is not valid UTF-8", name));
    }
    out_.labels.push_back({name, value});
    return absl::OkStatus();
  }

  absl::StatusOr<std::string_view> TakeBareName() {
    const size_t length = LengthOfName(rest_, 0);
    if (length > 0) return Take(length);
    const std::string_view word = rest_.substr(0, rest_.find_first_of("=,} \t\n"));
    if (word.empty()) return Malformed("a label name is missing");
    return Malformed(absl::StrFormat("\"%s\" is not a label name", word));
  }

  // Without the quotes.
  absl::StatusOr<std::string_view> TakeQuoted() {
    const size_t length = QuotedLength(rest_);
    if (length == kNoEnd) return Malformed("a quote is not closed");
    const std::string_view text = Take(length).substr(1, length - 2);
    if (text.find('\\') == std::string_view::npos) return text;
    const size_t begin = out_.unescaped.size();
    AppendUnescaped(out_.unescaped, text);
    return std::string_view(out_.unescaped).substr(begin);
  }

  void Name(std::string_view name) {
    has_name_ = true;
    out_.labels.push_back({kMetricName, name});
  }

  absl::Status Finish() {
    auto& labels = out_.labels;
    const auto by_name = [](const LabelView& a, const LabelView& b) { return a.name < b.name; };
    if (!std::is_sorted(labels.begin(), labels.end(), by_name)) {
      std::sort(labels.begin(), labels.end(), by_name);
    }
    for (size_t i = 1; i < labels.size(); ++i) {
      if (labels[i].name == labels[i - 1].name) {
        return Malformed(absl::StrFormat("label %s appears twice", labels[i].name));
      }
    }
    for (const LabelView& label : labels) {
      if (label.value.empty()) out_.empty_labels.push_back(label.name);
    }
    if (out_.empty_labels.empty()) return absl::OkStatus();
    std::erase_if(labels, [](const LabelView& label) { return label.value.empty(); });
    return absl::OkStatus();
  }

  std::string_view rest_;
  const TextFormat format_;
  SeriesLabels& out_;
  bool has_name_ = false;
};

}  // namespace

absl::Status ParseSeries(std::string_view series, TextFormat format, SeriesLabels& out) {
  return Parser(series, format, out).ParseSeries();
}

absl::Status ParseExemplarLabels(std::string_view braces, SeriesLabels& out) {
  return Parser(braces, TextFormat::kOpenMetrics, out).ParseExemplar();
}

size_t QuotedLength(std::string_view text) {
  size_t at = 1;
  while (at < text.size()) {
    at += LengthWithout(
        text.substr(at),
        [](uint64_t word) { return BytesEqual(word, '"') | BytesEqual(word, '\\'); },
        [](char c) { return c == '"' || c == '\\'; });
    if (at >= text.size()) break;
    if (text[at] == '"') return at + 1;
    at += 2;
  }
  return kNoEnd;
}

size_t BracesLength(std::string_view text) {
  size_t at = 1;
  while (at < text.size()) {
    if (text[at] == '}') return at + 1;
    if (text[at] == '\n') break;
    if (text[at] != '"') {
      ++at;
      continue;
    }
    const size_t length = QuotedLength(text.substr(at));
    if (length == kNoEnd) break;
    at += length;
  }
  return kNoEnd;
}

size_t NameLength(std::string_view text) { return LengthOfName(text, kMetricOnly); }

std::string Unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  AppendUnescaped(plain, text);
  return plain;
}

}  // namespace lockstep::exposition
