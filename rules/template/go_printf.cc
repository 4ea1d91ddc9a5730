// GoPrintf: the subset of Go's fmt.Sprintf for numbers and strings.
#include <cctype>
#include <cmath>
#include <cstdio>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "rules/template/template_value.h"

namespace lockstep::rules {
namespace {

// More than any real message needs; keeps a template from requesting gigabytes.
constexpr int kMaxWidth = 1000;

// A format verb such as "%-08.3f".
struct Verb {
  std::string flags;
  int width = 0;
  int precision = -1;
  char letter = 0;

  bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};

int ReadNumber(std::string_view format, size_t& at) {
  int number = 0;
  for (; at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])); ++at) {
    number = std::min(number * 10 + (format[at] - '0'), kMaxWidth);
  }
  return number;
}

// Reads the verb after a '%'; empty if the format ends within it.
std::optional<Verb> ReadVerb(std::string_view format, size_t& at) {
  Verb verb;
  for (; at < format.size() && std::string_view("+-# 0").find(format[at]) != std::string_view::npos;
       ++at) {
    verb.flags += format[at];
  }
  verb.width = ReadNumber(format, at);
  if (at < format.size() && format[at] == '.') verb.precision = ReadNumber(format, ++at);
  if (at >= format.size()) return std::nullopt;
  verb.letter = format[at++];
  return verb;
}

std::string Padded(std::string text, const Verb& verb) {
  const size_t width = static_cast<size_t>(verb.width);
  if (text.size() >= width) return text;
  const std::string blanks(width - text.size(), ' ');
  return verb.has('-') ? text + blanks : blanks + text;
}

std::string WithSign(std::string text, const Verb& verb) {
  if (verb.has('+') && text[0] != '-' && text[0] != '+') return "+" + text;
  if (verb.has(' ') && text[0] != '-' && text[0] != '+') return " " + text;
  return text;
}

// Puts zeros between the sign and the digits.
std::string PaddedNumber(std::string text, const Verb& verb) {
  text = WithSign(std::move(text), verb);
  const size_t width = static_cast<size_t>(verb.width);
  if (!verb.has('0') || verb.has('-') || text.size() >= width) return Padded(text, verb);
  const size_t sign = text[0] == '-' || text[0] == '+' || text[0] == ' ' ? 1 : 0;
  return text.insert(sign, width - text.size(), '0');
}

std::string FloatDigits(double value, const Verb& verb) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  const bool is_shortest = verb.precision < 0 && verb.letter != 'f' && verb.letter != 'F' &&
                           verb.letter != 'e' && verb.letter != 'E';
  if (is_shortest) return FormatShortValue(value);
  const int precision = verb.precision < 0 ? 6 : verb.precision;
  const char letter = verb.letter == 'v' ? 'g' : verb.letter;
  const char format[] = {'%', '.', '*', letter, '\0'};
  std::string digits(static_cast<size_t>(std::snprintf(nullptr, 0, format, precision, value)),
                     '\0');
  std::snprintf(digits.data(), digits.size() + 1, format, precision, value);
  return digits;
}

std::string Wrong(const Verb& verb, const TemplateValue& value) {
  return absl::StrFormat("%%!%c(%s=%s)", verb.letter, KindName(value), ToText(value));
}

std::string FormatFloat(double value, const Verb& verb) {
  if (std::string_view("vgGeEfF").find(verb.letter) == std::string_view::npos) {
    return Wrong(verb, value);
  }
  Verb padding = verb;
  if (!std::isfinite(value)) std::erase(padding.flags, '0');
  std::string digits = FloatDigits(value, verb);
  if (std::isinf(value) && value > 0 && !verb.has('+')) return Padded("+Inf", verb);
  return PaddedNumber(std::move(digits), padding);
}

// Go writes a sign before the digits, whatever their base.
std::string InBase(int64_t value, const absl::FormatSpec<uint64_t>& format) {
  const uint64_t magnitude =
      value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return (value < 0 ? "-" : "") + absl::StrFormat(format, magnitude);
}

std::string FormatInteger(int64_t value, const Verb& verb) {
  switch (verb.letter) {
    case 'd':
    case 'v':
      return PaddedNumber(std::to_string(value), verb);
    case 'x':
      return PaddedNumber(InBase(value, "%x"), verb);
    case 'X':
      return PaddedNumber(InBase(value, "%X"), verb);
    case 'o':
      return PaddedNumber(InBase(value, "%o"), verb);
    default:
      return Wrong(verb, value);
  }
}

std::string FormatText(const std::string& text, const Verb& verb) {
  const std::string cut =
      verb.precision < 0 ? text : text.substr(0, static_cast<size_t>(verb.precision));
  switch (verb.letter) {
    case 's':
    case 'v':
      return Padded(cut, verb);
    case 'q':
      return Padded("\"" + absl::Utf8SafeCEscape(cut) + "\"", verb);
    case 'x':
      return Padded(absl::BytesToHexString(cut), verb);
    default:
      return Wrong(verb, text);
  }
}

std::string FormatOne(const TemplateValue& value, const Verb& verb) {
  if (const auto* number = std::get_if<double>(&value)) return FormatFloat(*number, verb);
  if (const auto* number = std::get_if<int64_t>(&value)) return FormatInteger(*number, verb);
  if (const auto* text = std::get_if<std::string>(&value)) return FormatText(*text, verb);
  const bool is_truth = std::holds_alternative<bool>(value) && verb.letter == 't';
  const bool is_text = verb.letter == 's' && !std::holds_alternative<bool>(value);
  if (verb.letter == 'v' || is_truth || is_text) return Padded(ToText(value), verb);
  return Wrong(verb, value);
}

std::string Extra(const std::vector<TemplateValue>& arguments, size_t from) {
  std::string text = "%!(EXTRA ";
  for (size_t i = from; i < arguments.size(); ++i) {
    if (i > from) text += ", ";
    text += absl::StrFormat("%s=%s", KindName(arguments[i]), ToText(arguments[i]));
  }
  return text + ")";
}

}  // namespace

std::string GoPrintf(std::string_view format, const std::vector<TemplateValue>& arguments) {
  std::string out;
  size_t next = 0;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    const std::optional<Verb> verb = ReadVerb(format, ++at);
    if (!verb) {
      out += "%!(NOVERB)";
    } else if (verb->letter == '%') {
      out += '%';
    } else if (next >= arguments.size()) {
      out += absl::StrFormat("%%!%c(MISSING)", verb->letter);
    } else {
      out += FormatOne(arguments[next++], *verb);
    }
  }
  if (next < arguments.size()) out += Extra(arguments, next);
  return out;
}

}  // namespace lockstep::rules
