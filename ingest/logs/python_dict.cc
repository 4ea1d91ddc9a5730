#include "ingest/logs/python_dict.h"

#include <algorithm>

#include "ingest/logs/number_text.h"

namespace lockstep::logs {
namespace {

std::optional<std::string_view> TakeQuotedWord(std::string_view& text) {
  if (text.empty() || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
  const size_t end = text.find(text.front(), 1);
  if (end == text.npos) return std::nullopt;
  const std::string_view quoted = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return quoted;
}

}  // namespace

std::optional<DictItem> TakeDictItem(std::string_view& text) {
  TakeSpaces(text);
  const auto name = TakeQuotedWord(text);
  if (!name.has_value() || !TakePrefix(text, ":")) return std::nullopt;
  TakeSpaces(text);
  DictItem item = {*name, {}};
  if (const auto quoted = TakeQuotedWord(text)) {
    item.value = *quoted;
  } else {
    item.value = Trim(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.find(','), text.size()));
  }
  TakeSpaces(text);
  if (!text.empty() && !TakePrefix(text, ",")) return std::nullopt;
  return item;
}

}  // namespace lockstep::logs
