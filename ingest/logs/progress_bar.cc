#include "ingest/logs/progress_bar.h"

#include "ingest/logs/number_text.h"

namespace lockstep::logs {

std::optional<ProgressBar> ProgressBarOf(std::string_view text) {
  TakeSpaces(text);
  if (!TakeInteger(text).has_value() || !TakePrefix(text, "%|")) return std::nullopt;
  const size_t end = text.find("| ");
  if (end == text.npos) return std::nullopt;
  text.remove_prefix(end + 2);
  const auto done = TakeInteger(text);
  if (!done.has_value() || !TakePrefix(text, "/")) return std::nullopt;
  const auto total = TakeInteger(text);
  if (!total.has_value() || !text.starts_with(" [")) return std::nullopt;
  return ProgressBar{*done, *total};
}

}  // namespace lockstep::logs
