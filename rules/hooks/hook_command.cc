#include "rules/hooks/hook_command.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "rules/template/template.h"

namespace lockstep::rules {
namespace {

// Marks a value that no command may contain. Templates cannot produce it themselves, because
// program arguments cannot contain NUL.
constexpr char kUnfit = '\0';

bool IsFit(std::string_view value) {
  constexpr std::string_view kMarks = "._:/@%+,=-";
  const auto is_plain = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  if (value.empty()) return true;
  if (!is_plain(value.front()) && value.front() != '/' && value.front() != '_') return false;
  return std::ranges::all_of(
      value, [&](char c) { return is_plain(c) || kMarks.find(c) != std::string_view::npos; });
}

// Replaces unsafe values by a marker, so that their use shows in the expanded text.
std::shared_ptr<const TextMap> LabelsFor(const Alert& alert) {
  auto labels = std::make_shared<TextMap>();
  for (const LabelView& label : alert.labels) {
    labels->emplace(label.name,
                    IsFit(label.value) ? std::string(label.value) : std::string(1, kUnfit));
  }
  return labels;
}

std::vector<std::string> EnvironmentFor(const Alert& alert) {
  std::vector<std::string> environment;
  for (const LabelView& label : alert.labels) {
    const bool is_text = label.value.find('\0') == std::string_view::npos;
    if (!is_text || !IsLegacyLabelName(label.name)) continue;
    environment.push_back(absl::StrFormat("LOCKSTEP_LABEL_%s=%s", label.name, label.value));
  }
  return environment;
}

}  // namespace

absl::StatusOr<HookCommand> CommandOf(const HookConfig& hook, const Alert& alert) {
  TemplateData data;
  data.labels = LabelsFor(alert);
  data.external_labels = std::make_shared<const TextMap>();
  data.value = alert.value;
  HookCommand command;
  for (const std::string& text : hook.command) {
    LOCKSTEP_ASSIGN_OR_RETURN(const Template parsed, Template::Parse(text));
    LOCKSTEP_ASSIGN_OR_RETURN(std::string argument, parsed.Expand(data));
    if (argument.find(kUnfit) != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "a label value used in \"%s\" is not safe as an argument; programs can read label values "
          "from their environment, such as LOCKSTEP_LABEL_node",
          text));
    }
    command.arguments.push_back(std::move(argument));
  }
  command.environment = EnvironmentFor(alert);
  return command;
}

}  // namespace lockstep::rules
