#include "import/traces/training_phase.h"

#include <cctype>
#include <charconv>
#include <string>

namespace lockstep::traces {
namespace {

struct PhaseRule {
  std::string_view words;  // in lower case, '_' and ' ' for one another
  std::string_view phase;
};

// The first that matches counts: "Optimizer.zero_grad#AdamW.zero_grad" is no optimizer's step.
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
