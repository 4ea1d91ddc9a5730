#include "base/yaml/yaml_writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace lockstep {
namespace {

// Words that some YAML 1.1 parser does not read as text.
constexpr std::array<std::string_view, 14> kWords = {"true", "false", "yes",   "no",   "on",
                                                     "off",  "y",     "n",     "null", "~",
                                                     ".inf", "+.inf", "-.inf", ".nan"};

bool IsWord(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

// Whether it looks like a number in any notation, a date or a time of day.
bool IsNumeric(std::string_view text) {
  if (text.find_first_not_of("0123456789-:_") == std::string_view::npos) return true;
  std::string digits(text);
  std::erase(digits, '_');
  char* end = nullptr;
  std::strtod(digits.c_str(), &end);
  if (end == digits.c_str() + digits.size()) return true;
  return digits.starts_with("0o") || digits.starts_with("0b");
}

}  // namespace

void YamlWriter::Key(std::string_view key) {
  out_ << YAML::Key;
  Text(key);
  out_ << YAML::Value;
}

void YamlWriter::Text(std::string_view text) {
  if (text.empty() || IsWord(text) || IsNumeric(text)) out_ << YAML::DoubleQuoted;
  out_ << std::string(text);
}

void YamlWriter::Text(std::string_view key, std::string_view text) {
  Key(key);
  Text(text);
}

void YamlWriter::Bool(std::string_view key, bool value) {
  Key(key);
  out_ << value;
}

void YamlWriter::Number(std::string_view key, uint64_t value) {
  Key(key);
  out_ << value;
}

void YamlWriter::Texts(std::string_view key, const std::vector<std::string>& texts) {
  Key(key);
  BeginList();
  for (const std::string& text : texts) Text(text);
  EndList();
}

}  // namespace lockstep
