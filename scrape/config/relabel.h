// Relabelling: rules that rewrite, keep and drop label sets of targets and samples, with the
// semantics of Prometheus 3. Source: Prometheus, "Configuration", relabel_config; its relabel
// actions, and the fields that each requires.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex/regex.h"
#include "base/status.h"
#include "model/labels.h"

namespace lockstep::scrape {

enum class RelabelAction {
  kReplace,
  kKeep,
  kDrop,
  kKeepEqual,
  kDropEqual,
  kHashMod,
  kLabelMap,
  kLabelDrop,
  kLabelKeep,
  kLowercase,
  kUppercase,
};
std::string_view Name(RelabelAction action);
// Accepts any case.
std::optional<RelabelAction> ParseRelabelAction(std::string_view name);

// A rule as configured; missing fields get their defaults where they are used.
struct RelabelSpec {
  RelabelAction action = RelabelAction::kReplace;
  std::vector<std::string> source_labels;
  std::optional<std::string> separator;    // ";"
  std::optional<std::string> regex;        // "(.*)", anchored at both ends
  std::optional<std::string> replacement;  // "$1"
  std::string target_label;
  uint64_t modulus = 0;
};

// Immutable and thread-safe; copies share the compiled expression.
class RelabelRule {
 public:
  // kInvalidArgument if the fields are inconsistent or the expression is invalid.
  static absl::StatusOr<RelabelRule> Make(RelabelSpec spec);

  // Returns false if the labels are to be dropped.
  bool Apply(LabelSetBuilder& labels) const;

  const RelabelSpec& spec() const { return compiled_->spec; }

 private:
  struct Compiled {
    Compiled(RelabelSpec given, Regex compiled);

    RelabelSpec spec;
    std::string separator;
    Regex regex;
    RegexTemplate replacement;
    RegexTemplate target;
  };

  explicit RelabelRule(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  void Replace(std::string_view value, LabelSetBuilder& labels) const;
  void MapNames(LabelSetBuilder& labels) const;
  void DropNames(LabelSetBuilder& labels, bool matching) const;

  std::shared_ptr<const Compiled> compiled_;
};

// Applies all rules in order; false if one of them drops the labels.
bool Relabel(const std::vector<RelabelRule>& rules, LabelSetBuilder& labels);

}  // namespace lockstep::scrape
