// The syntax tree of a template.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "rules/template/template_value.h"

namespace lockstep::rules {

struct TemplateFunction;
struct TemplatePipe;

enum class OperandKind { kConstant, kDot, kVariable, kFunction, kPipe };

// A space-separated operand: "text", .Labels.gpu, $value, humanize, (query "up" | first).Value
struct TemplateOperand {
  OperandKind kind = OperandKind::kDot;
  TemplateValue constant{};
  std::string variable{};                      // with the '$'
  const TemplateFunction* function = nullptr;  // static storage
  std::unique_ptr<TemplatePipe> pipe{};
  std::vector<std::string> fields{};  // not for constants and functions
};

using TemplateCommand = std::vector<TemplateOperand>;

struct TemplatePipe {
  std::vector<std::string> variables;  // assigned the value; two only in range
  bool declares = false;               // := rather than =
  std::vector<TemplateCommand> commands;
};

enum class NodeKind { kText, kPipe, kIf, kRange, kWith, kBreak, kContinue };

struct TemplateNode;

struct TemplateList {
  std::vector<TemplateNode> nodes;
};

struct TemplateNode {
  NodeKind kind = NodeKind::kText;
  std::string text{};
  TemplatePipe pipe{};
  TemplateList body{};
  TemplateList otherwise{};
};

// Returns kInvalidArgument with the error and the line of the text.
absl::StatusOr<TemplateList> ParseTemplate(std::string_view text);

}  // namespace lockstep::rules
