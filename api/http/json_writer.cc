#include "api/http/json_writer.h"

#include <cmath>

#include "base/text/byte_scan.h"
#include "base/text/float_format.h"
#include "model/labels.h"

namespace lockstep::api {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void AppendUnicodeEscape(std::string& out, unsigned char byte) {
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

// Precondition: `c` is ASCII.
void AppendJsonEscaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      AppendUnicodeEscape(out, static_cast<unsigned char>(c));
  }
}

bool NeedsJsonEscape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

// The number of leading bytes that need no escape.
size_t PlainLength(std::string_view text) {
  const auto any_needs_escape = [](uint64_t word) {
    return BytesBelow(word, 0x20) | BytesEqual(word, '"') | BytesEqual(word, '\\');
  };
  return LengthWithout(text, any_needs_escape, NeedsJsonEscape);
}

// The length of the UTF-8 sequence at the start of `text`, at most 4 bytes; 0 if it is invalid.
size_t SequenceLength(std::string_view text) {
  for (size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (IsValidUtf8(text.substr(0, length))) return length;
  }
  return 0;
}

// Appends one non-ASCII sequence; returns the number of bytes of `text` it consumed.
size_t AppendSequence(std::string& out, std::string_view text) {
  const size_t length = SequenceLength(text);
  if (length == 0) {
    out += "\\ufffd";
    return 1;
  }
  const std::string_view sequence = text.substr(0, length);
  if (sequence == "\u2028") {
    out += "\\u2028";
  } else if (sequence == "\u2029") {
    out += "\\u2029";
  } else {
    out += sequence;
  }
  return length;
}

}  // namespace

void JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::Close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::Separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

void JsonWriter::Key(std::string_view key) {
  Separate();
  out_ += '"';
  out_ += key;
  out_ += "\":";
  needs_comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  out_ += '"';
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) {
      i += AppendSequence(out_, text.substr(i));
      continue;
    }
    if (c == '<' || c == '>' || c == '&') {
      AppendUnicodeEscape(out_, static_cast<unsigned char>(c));
    } else if (NeedsJsonEscape(c)) {
      AppendJsonEscaped(out_, c);
    } else {
      out_ += c;
    }
    ++i;
  }
  out_ += '"';
}

void JsonWriter::Label(std::string_view text) {
  Separate();
  out_ += '"';
  for (size_t plain = PlainLength(text); plain < text.size(); plain = PlainLength(text)) {
    out_ += text.substr(0, plain);
    AppendJsonEscaped(out_, text[plain]);
    text.remove_prefix(plain + 1);
  }
  out_ += text;
  out_ += '"';
}

void JsonWriter::LabelKey(std::string_view key) {
  Label(key);
  out_ += ':';
  needs_comma_ = false;
}

void JsonWriter::Number(double number) {
  if (!std::isfinite(number)) return Null();
  Separate();
  AppendSampleValue(out_, number);
}

void JsonWriter::Bool(bool value) {
  Separate();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  Separate();
  out_ += "null";
}

}  // namespace lockstep::api
