#include "rules/template/template.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "rules/template/template_functions.h"
#include "rules/template/template_tree.h"

namespace lockstep::rules {
namespace {

// The result goes to Alertmanagers and people.
constexpr size_t kMaxTextBytes = size_t{1} << 20;
// Limits nested ranges.
constexpr size_t kMaxNodes = 1'000'000;

enum class Flow { kOn, kBreak, kContinue };

// An element of a list of values, with its key.
struct Item {
  TemplateValue key;
  TemplateValue value;
};

absl::StatusOr<std::vector<Item>> ItemsOf(const TemplateValue& value) {
  std::vector<Item> items;
  if (const auto* samples = std::get_if<std::shared_ptr<const TemplateSamples>>(&value)) {
    for (size_t i = 0; i < (*samples)->size(); ++i) {
      items.push_back({static_cast<int64_t>(i), SampleAt{*samples, i}});
    }
    return items;
  }
  if (const auto* map = std::get_if<std::shared_ptr<const TextMap>>(&value)) {
    for (const auto& [name, text] : **map) items.push_back({name, text});
    return items;
  }
  if (std::holds_alternative<std::monostate>(value)) return items;
  return absl::InvalidArgumentError(absl::StrFormat("range can't iterate over %s", ToText(value)));
}

class Execution {
 public:
  explicit Execution(const TemplateData& data) : data_(data) {
    variables_ = {{"$", TemplateRoot()},
                  {"$labels", data.labels},
                  {"$externalLabels", data.external_labels},
                  {"$externalURL", data.external_url},
                  {"$value", data.value}};
  }

  absl::StatusOr<std::string> All(const TemplateList& list) {
    LOCKSTEP_RETURN_IF_ERROR(Walk(list, TemplateRoot()).status());
    return std::move(out_);
  }

 private:
  absl::StatusOr<Flow> Walk(const TemplateList& list, const TemplateValue& dot) {
    for (const TemplateNode& node : list.nodes) {
      if (++nodes_ > kMaxNodes) return absl::OutOfRangeError("the template runs for too long");
      LOCKSTEP_ASSIGN_OR_RETURN(const Flow flow, WalkNode(node, dot));
      if (out_.size() > kMaxTextBytes) {
        return absl::OutOfRangeError(
            absl::StrFormat("the text is longer than %d bytes", kMaxTextBytes));
      }
      if (flow != Flow::kOn) return flow;
    }
    return Flow::kOn;
  }

  absl::StatusOr<Flow> WalkNode(const TemplateNode& node, const TemplateValue& dot) {
    switch (node.kind) {
      case NodeKind::kText:
        out_ += node.text;
        return Flow::kOn;
      case NodeKind::kBreak:
        return Flow::kBreak;
      case NodeKind::kContinue:
        return Flow::kContinue;
      case NodeKind::kPipe: {
        LOCKSTEP_ASSIGN_OR_RETURN(const TemplateValue value, Evaluate(node.pipe, dot));
        if (node.pipe.variables.empty()) out_ += ToText(value);
        return Flow::kOn;
      }
      case NodeKind::kRange:
        return Scoped([&] { return WalkRange(node, dot); });
      case NodeKind::kIf:
      case NodeKind::kWith:
        break;
    }
    return Scoped([&] { return WalkChoice(node, dot); });
  }

  // Variables declared inside go out of scope at its end.
  template <typename F>
  absl::StatusOr<Flow> Scoped(const F& walk) {
    const size_t known = variables_.size();
    absl::StatusOr<Flow> flow = walk();
    variables_.erase(variables_.begin() + static_cast<ptrdiff_t>(known), variables_.end());
    return flow;
  }

  absl::StatusOr<Flow> WalkChoice(const TemplateNode& node, const TemplateValue& dot) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TemplateValue value, Evaluate(node.pipe, dot));
    if (!IsTrue(value)) return Walk(node.otherwise, dot);
    return Walk(node.body, node.kind == NodeKind::kWith ? value : dot);
  }

  absl::StatusOr<Flow> WalkRange(const TemplateNode& node, const TemplateValue& dot) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TemplateValue value, EvaluateCommands(node.pipe, dot));
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<Item> items, ItemsOf(value));
    if (items.empty()) return Walk(node.otherwise, dot);
    for (const Item& item : items) {
      const auto walk = [&]() -> absl::StatusOr<Flow> {
        const std::vector<std::string>& names = node.pipe.variables;
        if (names.size() == 2) LOCKSTEP_RETURN_IF_ERROR(SetVariable(node.pipe, 0, item.key));
        if (!names.empty()) {
          LOCKSTEP_RETURN_IF_ERROR(SetVariable(node.pipe, names.size() - 1, item.value));
        }
        return Walk(node.body, item.value);
      };
      LOCKSTEP_ASSIGN_OR_RETURN(const Flow flow, Scoped(walk));
      if (flow == Flow::kBreak) break;
    }
    return Flow::kOn;
  }

  absl::StatusOr<TemplateValue> Evaluate(const TemplatePipe& pipe, const TemplateValue& dot) {
    LOCKSTEP_ASSIGN_OR_RETURN(TemplateValue value, EvaluateCommands(pipe, dot));
    if (!pipe.variables.empty()) LOCKSTEP_RETURN_IF_ERROR(SetVariable(pipe, 0, value));
    return value;
  }

  absl::StatusOr<TemplateValue> EvaluateCommands(const TemplatePipe& pipe,
                                                 const TemplateValue& dot) {
    std::optional<TemplateValue> value;
    for (const TemplateCommand& command : pipe.commands) {
      LOCKSTEP_ASSIGN_OR_RETURN(value, EvaluateCommand(command, dot, std::move(value)));
    }
    return *std::move(value);
  }

  absl::StatusOr<TemplateValue> EvaluateCommand(const TemplateCommand& command,
                                                const TemplateValue& dot,
                                                std::optional<TemplateValue> last) {
    if (command[0].kind != OperandKind::kFunction) return EvaluateOperand(command[0], dot);
    const TemplateFunction& function = *command[0].function;
    const bool stops = IsAnd(function) || IsOr(function);
    std::vector<TemplateValue> arguments;
    for (size_t i = 1; i < command.size(); ++i) {
      LOCKSTEP_ASSIGN_OR_RETURN(TemplateValue argument, EvaluateOperand(command[i], dot));
      if (stops && IsTrue(argument) == IsOr(function)) return argument;
      arguments.push_back(std::move(argument));
    }
    if (last) arguments.push_back(*std::move(last));
    absl::StatusOr<TemplateValue> value = function.call(arguments, data_);
    if (value.ok()) return Bounded(*std::move(value));
    return Annotate(value.status(), absl::StrFormat("error calling %s", function.name));
  }

  // A string that doubles repeatedly would soon exhaust memory.
  static absl::StatusOr<TemplateValue> Bounded(TemplateValue value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || text->size() <= kMaxTextBytes) return value;
    return absl::OutOfRangeError(
        absl::StrFormat("a string is longer than %d bytes", kMaxTextBytes));
  }

  absl::StatusOr<TemplateValue> EvaluateOperand(const TemplateOperand& operand,
                                                const TemplateValue& dot) {
    LOCKSTEP_ASSIGN_OR_RETURN(TemplateValue value, Bare(operand, dot));
    for (const std::string& field : operand.fields) {
      LOCKSTEP_ASSIGN_OR_RETURN(value, Field(value, field));
    }
    return value;
  }

  absl::StatusOr<TemplateValue> Bare(const TemplateOperand& operand, const TemplateValue& dot) {
    switch (operand.kind) {
      case OperandKind::kConstant:
        return operand.constant;
      case OperandKind::kVariable:
        if (const TemplateValue* value = FindVariable(operand.variable)) return *value;
        return absl::InvalidArgumentError(
            absl::StrFormat("undefined variable \"%s\"", operand.variable));
      case OperandKind::kFunction:
        return EvaluateFunction(operand);
      case OperandKind::kPipe:
        return Evaluate(*operand.pipe, dot);
      case OperandKind::kDot:
        break;
    }
    return dot;
  }

  // A function used as an argument takes no arguments of its own.
  absl::StatusOr<TemplateValue> EvaluateFunction(const TemplateOperand& operand) {
    if (operand.function->min_arguments > 0) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s needs arguments", operand.function->name));
    }
    return operand.function->call({}, data_);
  }

  absl::StatusOr<TemplateValue> Field(const TemplateValue& value, const std::string& name) const {
    if (std::holds_alternative<TemplateRoot>(value)) {
      if (name == "Labels") return data_.labels;
      if (name == "ExternalLabels") return data_.external_labels;
      if (name == "ExternalURL") return data_.external_url;
      if (name == "Value") return data_.value;
    } else if (const auto* map = std::get_if<std::shared_ptr<const TextMap>>(&value)) {
      const auto found = (*map)->find(name);
      return found == (*map)->end() ? std::string() : found->second;
    } else if (const auto* sample = std::get_if<SampleAt>(&value)) {
      if (name == "Value") return sample->get().value;
      if (name == "Labels") return std::make_shared<const TextMap>(sample->get().labels);
    }
    return absl::InvalidArgumentError(
        absl::StrFormat("can't evaluate field %s in %s", name, KindName(value)));
  }

  TemplateValue* FindVariable(const std::string& name) {
    for (auto at = variables_.rbegin(); at != variables_.rend(); ++at) {
      if (at->first == name) return &at->second;
    }
    return nullptr;
  }

  absl::Status SetVariable(const TemplatePipe& pipe, size_t index, TemplateValue value) {
    const std::string& name = pipe.variables[index];
    if (pipe.declares) {
      variables_.emplace_back(name, std::move(value));
      return absl::OkStatus();
    }
    TemplateValue* const known = FindVariable(name);
    if (known == nullptr) {
      return absl::InvalidArgumentError(absl::StrFormat("undefined variable \"%s\"", name));
    }
    *known = std::move(value);
    return absl::OkStatus();
  }

  const TemplateData& data_;
  std::vector<std::pair<std::string, TemplateValue>> variables_;  // inner ones last
  std::string out_;
  size_t nodes_ = 0;
};

}  // namespace

absl::StatusOr<Template> Template::Parse(std::string_view text) {
  LOCKSTEP_ASSIGN_OR_RETURN(TemplateList list, ParseTemplate(text));
  return Template(std::make_shared<const TemplateList>(std::move(list)));
}

absl::StatusOr<std::string> Template::Expand(const TemplateData& data) const {
  return Execution(data).All(*nodes_);
}

}  // namespace lockstep::rules
