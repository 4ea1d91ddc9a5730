#include "api/http/content_type.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"

namespace lockstep::api {
namespace {

bool AreSameIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return absl::ascii_tolower(static_cast<unsigned char>(x)) ==
           absl::ascii_tolower(static_cast<unsigned char>(y));
  });
}

std::string_view WithoutBlanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view WithoutQuotes(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// The parts before and after the first `separator`.
std::pair<std::string_view, std::string_view> SplitAt(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace

bool ContentType::Is(std::string_view media_type) const {
  return AreSameIgnoringCase(WithoutBlanks(SplitAt(header_, ';').first), media_type);
}

std::string_view ContentType::Parameter(std::string_view name) const {
  auto [part, rest] = SplitAt(SplitAt(header_, ';').second, ';');
  while (!part.empty() || !rest.empty()) {
    const auto [its_name, value] = SplitAt(part, '=');
    if (AreSameIgnoringCase(WithoutBlanks(its_name), name)) {
      return WithoutQuotes(WithoutBlanks(value));
    }
    std::tie(part, rest) = SplitAt(rest, ';');
  }
  return {};
}

}  // namespace lockstep::api
