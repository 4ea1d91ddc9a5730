#include "ingest/json/datadog_names.h"

namespace lockstep::json {
namespace {

bool IsKept(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
}

}  // namespace

std::string PlainDatadogName(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '.') {
      if (plain.ends_with('_')) plain.pop_back();
      plain += '.';
    } else if (IsKept(c)) {
      plain += c;
    } else if (!plain.ends_with('_') && !plain.ends_with('.')) {
      plain += '_';
    }
  }
  return plain;
}

LabelView LabelOfTag(std::string_view tag) {
  const size_t colon = tag.find(':');
  const std::string_view name = tag.substr(0, colon);
  return {name == "host" ? "exported_host" : name,
          colon == std::string_view::npos ? "no_label_value" : tag.substr(colon + 1)};
}

}  // namespace lockstep::json
