#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "rules/template/template_functions.h"
#include "rules/template/template_lexer.h"
#include "rules/template/template_tree.h"

namespace lockstep::rules {
namespace {

// How deep actions and parentheses may nest, because walking the tree is recursive.
constexpr int kMaxDepth = 64;

std::optional<TemplateValue> ConstantOf(std::string_view word) {
  if (word == "true") return TemplateValue(true);
  if (word == "false") return TemplateValue(false);
  if (word == "nil") return TemplateValue();
  return std::nullopt;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  absl::StatusOr<TemplateList> Parse() {
    LOCKSTEP_ASSIGN_OR_RETURN(TemplateList list, ParseList());
    if (at_ < tokens_.size()) return Error(absl::StrFormat("unexpected {{%s}}", word_));
    return list;
  }

 private:
  // Parses up to the end of the text or to an `end` or `else`, which is then in word_ and not
  // closed.
  absl::StatusOr<TemplateList> ParseList() {
    TemplateList list;
    if (++depth_ > kMaxDepth) return Error("actions are nested too deep");
    while (at_ < tokens_.size()) {
      if (tokens_[at_].kind == TokenKind::kText) {
        list.nodes.push_back({NodeKind::kText, tokens_[at_++].text});
        continue;
      }
      ++at_;  // {{
      SkipSpace();
      word_ = Is(TokenKind::kIdentifier) ? tokens_[at_].text : "";
      if (IsOneOf(word_, {"end", "else"})) break;
      LOCKSTEP_ASSIGN_OR_RETURN(TemplateNode node, ParseAction());
      list.nodes.push_back(std::move(node));
    }
    --depth_;
    return list;
  }

  absl::StatusOr<TemplateNode> ParseAction() {
    if (IsOneOf(word_, {"define", "template", "block"})) {
      return Error(absl::StrFormat("\"%s\" is not supported here", word_));
    }
    if (word_ == "if") return ParseControl(NodeKind::kIf);
    if (word_ == "with") return ParseControl(NodeKind::kWith);
    if (word_ == "range") return ParseControl(NodeKind::kRange);
    if (IsOneOf(word_, {"break", "continue"})) return ParseJump();
    TemplateNode node{NodeKind::kPipe};
    LOCKSTEP_ASSIGN_OR_RETURN(node.pipe, ParsePipe(1));
    LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kEnd, "}}"));
    return node;
  }

  absl::StatusOr<TemplateNode> ParseJump() {
    if (range_depth_ == 0) return Error(absl::StrFormat("{{%s}} outside of range", word_));
    TemplateNode node{word_ == "break" ? NodeKind::kBreak : NodeKind::kContinue};
    ++at_;
    LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kEnd, "}}"));
    return node;
  }

  // Parses `if`, `range` and `with` up to their {{end}}.
  absl::StatusOr<TemplateNode> ParseControl(NodeKind kind) {
    const size_t known = variables_.size();
    TemplateNode node{kind};
    ++at_;
    LOCKSTEP_ASSIGN_OR_RETURN(node.pipe, ParsePipe(kind == NodeKind::kRange ? 2 : 1));
    if (node.pipe.commands.empty()) return Error("an action needs a value");
    LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kEnd, "}}"));
    range_depth_ += kind == NodeKind::kRange;
    LOCKSTEP_ASSIGN_OR_RETURN(node.body, ParseList());
    range_depth_ -= kind == NodeKind::kRange;
    if (at_ < tokens_.size() && word_ == "else") {
      LOCKSTEP_ASSIGN_OR_RETURN(node.otherwise, ParseElse(kind));
    }
    // In a chain of else ifs, the innermost has consumed the end.
    if (!closed_) {
      if (at_ >= tokens_.size()) return Error("an {{end}} is missing");
      ++at_;
      LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kEnd, "}}"));
    }
    closed_ = false;
    variables_.resize(known);
    return node;
  }

  absl::StatusOr<TemplateList> ParseElse(NodeKind kind) {
    ++at_;
    SkipSpace();
    word_ = Is(TokenKind::kIdentifier) ? tokens_[at_].text : "";
    const bool chains =
        (kind == NodeKind::kIf && word_ == "if") || (kind == NodeKind::kWith && word_ == "with");
    if (!chains) {
      LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kEnd, "}}"));
      LOCKSTEP_ASSIGN_OR_RETURN(TemplateList list, ParseList());
      if (word_ == "else" && at_ < tokens_.size()) return Error("duplicate {{else}}");
      return list;
    }
    if (++depth_ > kMaxDepth) return Error("actions are nested too deep");
    TemplateList list;
    LOCKSTEP_ASSIGN_OR_RETURN(TemplateNode node, ParseControl(kind));
    --depth_;
    list.nodes.push_back(std::move(node));
    closed_ = true;
    return list;
  }

  // Parses up to the terminator, which it does not consume.
  absl::StatusOr<TemplatePipe> ParsePipe(size_t max_variables) {
    TemplatePipe pipe;
    SkipSpace();
    LOCKSTEP_RETURN_IF_ERROR(ParseVariables(max_variables, pipe));
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(TemplateCommand command, ParseCommand());
      if (command.empty()) return Error("a value is missing");
      const bool takes_value = command[0].kind == OperandKind::kFunction;
      if (!takes_value && (command.size() > 1 || !pipe.commands.empty())) {
        return Error("only a function takes arguments");
      }
      LOCKSTEP_RETURN_IF_ERROR(CheckCall(command, !pipe.commands.empty()));
      pipe.commands.push_back(std::move(command));
      if (!Is(TokenKind::kPipe)) break;
      ++at_;
    }
    if (pipe.declares) {
      variables_.insert(variables_.end(), pipe.variables.begin(), pipe.variables.end());
    }
    return pipe;
  }

  absl::Status CheckCall(const TemplateCommand& command, bool gets_value) const {
    if (command[0].kind != OperandKind::kFunction) return absl::OkStatus();
    const TemplateFunction& function = *command[0].function;
    const size_t count = command.size() - 1 + (gets_value ? 1 : 0);
    if (count >= function.min_arguments && count <= function.max_arguments) return absl::OkStatus();
    return Error(absl::StrFormat("%s cannot take %d arguments", function.name, count));
  }

  // Parses "$i, $e :=", "$x =" or nothing.
  absl::Status ParseVariables(size_t max_variables, TemplatePipe& pipe) {
    const size_t begin = at_;
    std::vector<std::string> names;
    while (Is(TokenKind::kVariable) && names.size() < max_variables) {
      names.push_back(tokens_[at_++].text);
      SkipSpace();
      if (!Is(TokenKind::kComma)) break;
      ++at_;
      SkipSpace();
    }
    if (names.empty() || (!Is(TokenKind::kDeclare) && !Is(TokenKind::kAssign))) {
      at_ = begin;
      return absl::OkStatus();
    }
    pipe.declares = Is(TokenKind::kDeclare);
    ++at_;
    for (const std::string& name : names) {
      if (!pipe.declares) LOCKSTEP_RETURN_IF_ERROR(CheckVariable(name));
    }
    pipe.variables = std::move(names);
    return absl::OkStatus();
  }

  absl::Status CheckVariable(const std::string& name) const {
    if (std::ranges::find(variables_, name) != variables_.end()) return absl::OkStatus();
    return Error(absl::StrFormat("undefined variable \"%s\"", name));
  }

  absl::StatusOr<TemplateCommand> ParseCommand() {
    TemplateCommand command;
    SkipSpace();
    while (at_ < tokens_.size() && !Is(TokenKind::kEnd) && !Is(TokenKind::kPipe) &&
           !Is(TokenKind::kClose)) {
      LOCKSTEP_ASSIGN_OR_RETURN(TemplateOperand operand, ParseOperand());
      command.push_back(std::move(operand));
      const bool is_apart = Is(TokenKind::kSpace) || Is(TokenKind::kEnd) || Is(TokenKind::kPipe) ||
                            Is(TokenKind::kClose);
      if (!is_apart) return Error("a space is missing between two values");
      SkipSpace();
    }
    return command;
  }

  absl::StatusOr<TemplateOperand> ParseOperand() {
    TemplateOperand operand;
    const Token& token = tokens_[at_++];
    switch (token.kind) {
      case TokenKind::kDot:
        operand.kind = OperandKind::kDot;
        return operand;
      case TokenKind::kField:
        --at_;
        break;
      case TokenKind::kVariable:
        operand.kind = OperandKind::kVariable;
        operand.variable = token.text;
        LOCKSTEP_RETURN_IF_ERROR(CheckVariable(token.text));
        break;
      case TokenKind::kIdentifier:
        return ParseIdentifier(token.text);
      case TokenKind::kNumber:
        return ParseNumber(token.text);
      case TokenKind::kString:
        operand.kind = OperandKind::kConstant;
        operand.constant = token.text;
        return operand;
      case TokenKind::kOpen:
        LOCKSTEP_RETURN_IF_ERROR(ParseParentheses(operand));
        break;
      default:
        return Error("expected a value");
    }
    while (Is(TokenKind::kField)) operand.fields.push_back(tokens_[at_++].text);
    return operand;
  }

  absl::Status ParseParentheses(TemplateOperand& operand) {
    if (++depth_ > kMaxDepth) return Error("parentheses are nested too deep");
    operand.kind = OperandKind::kPipe;
    LOCKSTEP_ASSIGN_OR_RETURN(TemplatePipe pipe, ParsePipe(0));
    operand.pipe = std::make_unique<TemplatePipe>(std::move(pipe));
    --depth_;
    return Expect(TokenKind::kClose, ")");
  }

  absl::StatusOr<TemplateOperand> ParseIdentifier(const std::string& word) const {
    TemplateOperand operand;
    if (const std::optional<TemplateValue> constant = ConstantOf(word)) {
      operand.kind = OperandKind::kConstant;
      operand.constant = *constant;
      return operand;
    }
    operand.kind = OperandKind::kFunction;
    operand.function = FindTemplateFunction(word);
    if (operand.function != nullptr) return operand;
    return Error(absl::StrFormat("function \"%s\" not defined", word));
  }

  absl::StatusOr<TemplateOperand> ParseNumber(const std::string& text) const {
    TemplateOperand operand;
    operand.kind = OperandKind::kConstant;
    int64_t integer = 0;
    double number = 0;
    if (absl::SimpleAtoi(text, &integer)) {
      operand.constant = integer;
    } else if (absl::SimpleAtod(text, &number)) {
      operand.constant = number;
    } else {
      return Error(absl::StrFormat("\"%s\" is not a number", text));
    }
    return operand;
  }

  bool Is(TokenKind kind) const { return at_ < tokens_.size() && tokens_[at_].kind == kind; }
  void SkipSpace() { at_ += Is(TokenKind::kSpace); }

  absl::Status Expect(TokenKind kind, std::string_view what) {
    SkipSpace();
    if (!Is(kind)) return Error(absl::StrFormat("expected \"%s\"", what));
    ++at_;
    return absl::OkStatus();
  }

  absl::Status Error(std::string_view what) const {
    const int line = tokens_.empty() ? 1 : tokens_[std::min(at_, tokens_.size() - 1)].line;
    return absl::InvalidArgumentError(absl::StrFormat("line %d: %s", line, what));
  }

  const std::vector<Token> tokens_;
  size_t at_ = 0;
  std::string word_;  // first word of the last action
  bool closed_ = false;
  int depth_ = 0;
  int range_depth_ = 0;
  std::vector<std::string> variables_ = {"$", "$labels", "$externalLabels", "$externalURL",
                                         "$value"};
};

}  // namespace

absl::StatusOr<TemplateList> ParseTemplate(std::string_view text) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<Token> tokens, LexTemplate(text));
  return Parser(std::move(tokens)).Parse();
}

}  // namespace lockstep::rules
