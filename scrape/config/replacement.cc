#include "scrape/config/replacement.h"

#include <charconv>
#include <optional>

#include "model/labels.h"

namespace lockstep::scrape {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Reference {
  std::string_view name;
  size_t length;  // of all of it, the dollar included
};

// The reference at the front of `text`, which begins with a dollar; nothing if it is just a dollar.
std::optional<Reference> ReferenceAt(std::string_view text) {
  const bool braced = text.size() > 1 && text[1] == '{';
  const size_t begin = braced ? 2 : 1;
  size_t end = begin;
  while (end < text.size() && IsWordByte(text[end])) ++end;
  if (end == begin) return std::nullopt;
  if (!braced) return Reference{text.substr(begin, end - begin), end};
  if (end == text.size() || text[end] != '}') return std::nullopt;
  return Reference{text.substr(begin, end - begin), end + 1};
}

int GroupOf(std::string_view name, const RE2& regex) {
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, number);
  if (at == end && error == std::errc()) return number;
  const auto& names = regex.NamedCapturingGroups();
  const auto found = names.find(std::string(name));
  return found == names.end() ? -1 : found->second;
}

}  // namespace

Replacement::Replacement(std::string_view text, const RE2& regex) : parts_(1) {
  while (!text.empty()) {
    const size_t dollar = std::min(text.find('$'), text.size());
    parts_.back().literal += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.empty()) break;
    if (const auto reference = ReferenceAt(text)) {
      AddReference(reference->name, regex);
      text.remove_prefix(reference->length);
    } else {
      parts_.back().literal += '$';
      text.remove_prefix(text.starts_with("$$") ? 2 : 1);
    }
  }
}

void Replacement::AddReference(std::string_view name, const RE2& regex) {
  has_references_ = true;
  parts_.back().group = GroupOf(name, regex);
  parts_.emplace_back();
}

std::string Replacement::Expand(const std::vector<std::string_view>& groups) const {
  std::string text;
  for (const Part& part : parts_) {
    text += part.literal;
    const bool is_group = part.group >= 0 && static_cast<size_t>(part.group) < groups.size();
    if (is_group) text += groups[static_cast<size_t>(part.group)];
  }
  return text;
}

bool IsLabelNameTemplate(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    const auto reference = text.front() == '$' ? ReferenceAt(text) : std::nullopt;
    name += reference ? 'x' : text.front();
    text.remove_prefix(reference ? reference->length : 1);
  }
  return !name.empty() && IsValidUtf8(name);
}

}  // namespace lockstep::scrape
