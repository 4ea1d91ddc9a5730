#include "import/traces/kinds/training_phase.h"

#include <cctype>
#include <charconv>
#include <string>

namespace lockstep::traces {
namespace {

struct PhaseRule {
  std::string_view words;  // in lower case; '_' and ' ' are equivalent
  std::string_view phase;
};

// The first match wins: "Optimizer.zero_grad#AdamW.zero_grad" is not an optimizer step.
constexpr PhaseRule kPhases[] = {
    {"zero_grad", "zero_grad"},
    {"optimizer", "optimizer"},
    {"opt_step", "optimizer"},
    {"data_load", "data"},
    {"dataload", "data"},
    {"load_batch", "data"},
    {"get_batch", "data"},
    {"batch_generator", "data"},
    {"save_checkpoint", "checkpoint"},
    {"checkpoint_save", "checkpoint"},
    {"forward_backward", "forward-backward"},
    {"fwd_bwd", "forward-backward"},
    {"backward", "backward"},
    {"bwd", "backward"},
    {"forward", "forward"},
    {"fwd", "forward"},
};

std::string WithOneSpelling(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    c = c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

}  // namespace

std::string_view PhaseOfRange(std::string_view name) {
  const std::string text = WithOneSpelling(name);
  for (const PhaseRule& rule : kPhases) {
    if (text.find(rule.words) != text.npos) return rule.phase;
  }
  return "";
}

std::optional<NumberedRange> NumberedStepOf(std::string_view name) {
  if (name.starts_with(':')) name.remove_prefix(1);
  const size_t last = name.find_last_not_of("0123456789");
  if (last == name.npos || last + 1 == name.size()) return std::nullopt;
  const std::string_view digits = name.substr(last + 1);
  NumberedRange range{name.substr(0, last + 1), 0};
  while (!range.name.empty() && std::string_view("_ #:-").find(range.name.back()) != name.npos) {
    range.name.remove_suffix(1);
  }
  const std::string text = WithOneSpelling(range.name);
  if (!text.ends_with("step") && !text.ends_with("iter") && !text.ends_with("iteration")) {
    return std::nullopt;
  }
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), range.number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return range;
}

std::optional<int64_t> StepOfRange(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0) return std::nullopt;
  return step;
}

}  // namespace lockstep::traces
