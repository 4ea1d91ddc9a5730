#include "ingest/influx/line_protocol.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/write/refusals.h"

namespace lockstep::influx {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool IsSpecial(char c) { return c == ',' || c == '=' || c == ' '; }

absl::Status Malformed(const std::string& what) { return absl::InvalidArgumentError(what); }

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The position of the first of the two characters without a backslash before it; the length of
// `text` if there is none.
size_t FindUnescaped(std::string_view text, char end, char other_end) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && IsSpecial(text[i + 1])) {
      ++i;
    } else if (text[i] == end || text[i] == other_end) {
      return i;
    }
  }
  return text.size();
}

size_t FindUnescaped(std::string_view text, char end) { return FindUnescaped(text, end, end); }

// The position after the closing quote of the text that begins at `begin`; npos if there is none.
size_t EndOfText(std::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// The end of the fields at the front: the first blank outside quotes.
size_t EndOfFields(std::string_view text) {
  if (text.find('"') == std::string_view::npos) return FindUnescaped(text, ' ');
  size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\\' && i + 1 < text.size() && IsSpecial(text[i + 1])) {
      i += 2;
    } else if (text[i] == '"' && i > 0 && text[i - 1] == '=') {
      i = std::min(EndOfText(text, i), text.size());
    } else if (text[i] == ' ') {
      break;
    } else {
      ++i;
    }
  }
  return std::min(i, text.size());
}

// `text` itself if it has no backslash; otherwise `text` without its escapes, appended to
// `unescaped`, which must have room.
std::string_view Unescaped(std::string_view text, std::string& unescaped) {
  if (text.find('\\') == std::string_view::npos) return text;
  const size_t begin = unescaped.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && IsSpecial(text[i + 1])) ++i;
    unescaped += text[i];
  }
  return std::string_view(unescaped).substr(begin);
}

absl::Status ParseTags(std::string_view text, Point& point) {
  while (!text.empty()) {
    const size_t end = FindUnescaped(text, ',');
    const std::string_view tag = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t equals = FindUnescaped(tag, '=');
    if (equals == 0 || equals == tag.size()) {
      return Malformed(absl::StrFormat("the tag %s is not name=value", DescribeText(tag)));
    }
    point.tags.emplace_back(Unescaped(tag.substr(0, equals), point.unescaped),
                            Unescaped(tag.substr(equals + 1), point.unescaped));
  }
  return absl::OkStatus();
}

std::optional<bool> TruthOf(std::string_view text) {
  for (const std::string_view yes : {"t", "T", "true", "True", "TRUE"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"f", "F", "false", "False", "FALSE"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

template <typename Number>
std::optional<double> NumberOf(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<double>(number);
}

// Parses an unquoted value.
std::optional<double> ValueOf(std::string_view text) {
  if (const auto truth = TruthOf(text)) return *truth ? 1.0 : 0.0;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (text.ends_with('i')) return NumberOf<int64_t>(text.substr(0, text.size() - 1));
  if (text.ends_with('u')) return NumberOf<uint64_t>(text.substr(0, text.size() - 1));
  const auto number = NumberOf<double>(text);
  // from_chars() accepts words that are not numbers here.
  if (!number.has_value() || !std::isfinite(*number)) return std::nullopt;
  return number;
}

// Takes a field and the comma after it from the front of `text`.
absl::Status TakeField(std::string_view& text, Point& point) {
  const size_t equals = FindUnescaped(text, ',', '=');
  if (equals == 0 || equals == text.size() || text[equals] != '=') {
    return Malformed(absl::StrFormat("the field %s is not name=value",
                                     DescribeText(text.substr(0, FindUnescaped(text, ',')))));
  }
  const std::string_view key = text.substr(0, equals);
  Field field{key, Unescaped(key, point.unescaped), std::nullopt};
  text.remove_prefix(equals + 1);
  size_t end = 0;
  if (text.starts_with('"')) {
    end = EndOfText(text, 0);
    if (end == std::string_view::npos) {
      return Malformed(absl::StrFormat("the text of the field %s has no closing quote",
                                       DescribeText(field.key)));
    }
    if (end < text.size() && text[end] != ',') {
      return Malformed(absl::StrFormat("the field %s has text after its closing quote",
                                       DescribeText(field.key)));
    }
  } else {
    end = std::min(text.find(','), text.size());
    field.value = ValueOf(text.substr(0, end));
    if (!field.value.has_value()) {
      return Malformed(absl::StrFormat("the field %s has the value %s, which is not a number",
                                       DescribeText(field.key), DescribeText(text.substr(0, end))));
    }
  }
  const bool has_more = end < text.size();
  text.remove_prefix(std::min(end + 1, text.size()));
  if (has_more && text.empty()) return Malformed("a field is missing after the last comma");
  point.fields.push_back(field);
  return absl::OkStatus();
}

}  // namespace

std::string_view TakeLine(std::string_view& rest, size_t& line_count) {
  size_t end = std::min(rest.find('\n'), rest.size());
  const size_t begin = std::min(rest.find_first_not_of(kBlanks), rest.size());
  const bool is_comment = begin < rest.size() && rest[begin] == '#';
  const bool has_text = !is_comment && rest.substr(0, end).find('"') != std::string_view::npos;
  // Only fields may have quoted text, which may span lines, if it is closed.
  for (size_t i = begin + FindUnescaped(rest.substr(begin, end - begin), ' ');
       has_text && i < end;) {
    if (rest[i] == '\\' && i + 1 < end && IsSpecial(rest[i + 1])) {
      i += 2;
    } else if (rest[i] == '"' && i > 0 && rest[i - 1] == '=') {
      const size_t behind = EndOfText(rest, i);
      if (behind == std::string_view::npos) break;
      if (behind > end) end = std::min(rest.find('\n', behind), rest.size());
      i = behind;
    } else {
      ++i;
    }
  }
  const std::string_view whole = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  line_count += 1 + static_cast<size_t>(std::ranges::count(whole, '\n'));
  return is_comment ? std::string_view() : Trimmed(whole);
}

void Point::Begin(size_t line_bytes) {
  measurement = {};
  tags.clear();
  fields.clear();
  time.reset();
  unescaped.clear();
  // Keeps views into it valid.
  unescaped.reserve(line_bytes);
}

std::string_view TakeHead(std::string_view& line) {
  const std::string_view head = line.substr(0, FindUnescaped(line, ' '));
  line.remove_prefix(head.size());
  return head;
}

absl::Status ParseHead(std::string_view head, Point& point) {
  const size_t end_of_name = FindUnescaped(head, ',');
  if (end_of_name == 0) return Malformed("the measurement is missing");
  point.measurement = Unescaped(head.substr(0, end_of_name), point.unescaped);
  if (end_of_name == head.size()) return absl::OkStatus();
  const std::string_view tags = head.substr(end_of_name + 1);
  if (tags.empty()) return Malformed("a tag is missing after the comma");
  return ParseTags(tags, point);
}

absl::Status ParseFieldsAndTime(std::string_view rest, Point& point) {
  rest = Trimmed(rest);
  if (rest.empty()) return Malformed("the fields are missing");
  const size_t end_of_fields = EndOfFields(rest);
  std::string_view fields = rest.substr(0, end_of_fields);
  while (!fields.empty()) LOCKSTEP_RETURN_IF_ERROR(TakeField(fields, point));

  const std::string_view time = Trimmed(rest.substr(end_of_fields));
  if (time.empty()) return absl::OkStatus();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), number);
  if (error != std::errc() || end != time.data() + time.size()) {
    return Malformed(absl::StrFormat("the time %s is not an integer", DescribeText(time)));
  }
  point.time = number;
  return absl::OkStatus();
}

}  // namespace lockstep::influx
