// The series of both sides are divided into match groups by their labels, once for all steps. One
// side of the operator is the "one" side: two of its elements must never be in the same group at
// the same step. With group_right that is the left side, otherwise the right one; the other is the
// "many" side, whose labels the result has.
//
//   group 0    many: a b     one: x        pairs a-x, b-x
//   group 1    many: c       one:          nothing, or c-fill
//   group 2    many:         one: y z      y and z must not be present at the same step
//
// A group in which nothing can go wrong is computed column by column, any other step by step.
#include "query/engine/operators/binary_eval.h"

#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "query/engine/context/series_assembler.h"
#include "query/engine/operators/binary_element.h"
#include "query/engine/operators/match_groups.h"
#include "query/engine/values/metric_labels.h"

namespace lockstep::engine {
namespace {

using promql::BinaryExpr;
using promql::MatchCardinality;

class VectorBinary {
 public:
  VectorBinary(const BinaryExpr& expr, VectorOperands operands, Evaluator& evaluator)
      : expr_(expr),
        matching_(*expr.matching),
        swapped_(matching_.cardinality == MatchCardinality::kOneToMany),
        evaluator_(evaluator),
        notes_(evaluator.context().annotations, expr),
        output_(evaluator),
        left_(std::move(operands.left)),
        right_(std::move(operands.right)),
        many_(swapped_ ? right_.series : left_.series),
        one_(swapped_ ? left_.series : right_.series) {}

  absl::StatusOr<VectorValue> Run() {
    const MatchGroups groups = MatchGroups::Of(many_, one_, matching_);
    for (const MatchGroups::Group& group : groups.groups) {
      LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
      if (IsSimple(group)) {
        LOCKSTEP_RETURN_IF_ERROR(ApplyByColumn(group));
      } else {
        LOCKSTEP_RETURN_IF_ERROR(ApplyByStep(group));
      }
    }
    if (breach_.has_value()) return breach_->error;
    return output_.Take();
  }

 private:
  using Group = MatchGroups::Group;

  bool fills() const { return matching_.fill_left.has_value() || matching_.fill_right.has_value(); }

  // Whether no step of the group can break a rule and no element must be filled in.
  bool IsSimple(const Group& group) const {
    if (fills() || group.right.size() > 1) return false;
    if (group.left.size() <= 1 || group.right.empty()) return true;
    return matching_.cardinality != MatchCardinality::kOneToOne && HasDistinctResults(group);
  }

  // Precondition: one series on the one side.
  bool HasDistinctResults(const Group& group) const {
    absl::flat_hash_set<LabelSet> seen;
    for (const uint32_t index : group.left) {
      if (!seen.insert(ResultLabels(many_[index].labels, one_[group.right[0]].labels)).second) {
        return false;
      }
    }
    return true;
  }

  absl::Status ApplyByColumn(const Group& group) {
    if (group.right.empty()) return absl::OkStatus();
    const EvaluatedSeries& one = one_[group.right[0]];
    for (const uint32_t index : group.left) {
      const EvaluatedSeries& many = many_[index];
      LOCKSTEP_RETURN_IF_ERROR(output_.Add(ResultLabels(many.labels, one.labels), DropsName(many),
                                           ApplyToColumns(many.column, one.column)));
    }
    return absl::OkStatus();
  }

  Column ApplyToColumns(const Column& many, const Column& one) {
    const Column& left = swapped_ ? one : many;
    const Column& right = swapped_ ? many : one;
    const bool floats_only = !left.has_histograms() && !right.has_histograms() &&
                             (IsArithmetic(expr_.op) || IsComparison(expr_.op));
    return floats_only ? ApplyToFloats(left, right) : ApplyToAny(left, right);
  }

  Column ApplyToFloats(const Column& left, const Column& right) const {
    Column result = left;
    result.KeepWhere(right);
    WithFloatOperator(expr_.op, [&](auto apply) {
      if (IsArithmetic(expr_.op) || expr_.return_bool) {
        result.MapFloats([&](size_t step, double value) {
          return static_cast<double>(apply(value, right.value(step)));
        });
      } else {
        result.ForEachPresent([&](size_t step) {
          if (!apply(result.value(step), right.value(step))) result.Erase(step);
        });
      }
    });
    return result;
  }

  Column ApplyToAny(const Column& left, const Column& right) {
    Column result(left.step_count());
    left.ForEachPresent([&](size_t step) {
      if (!right.present(step)) return;
      Store(ApplyToElements(expr_.op, ElementAt(left, step), ElementAt(right, step), notes_), step,
            result);
    });
    return result;
  }

  void Store(const ElementResult& result, size_t step, Column& column) const {
    const bool holds = result.kind == ElementResult::Kind::kTrue;
    if (result.kind == ElementResult::Kind::kNothing) return;
    if (expr_.return_bool) {
      column.SetFloat(step, holds ? 1 : 0);
    } else if (holds && result.element.histogram != nullptr) {
      column.SetHistogram(step, result.element.histogram);
    } else if (holds) {
      column.SetFloat(step, result.element.value);
    }
  }

  ElementResult ApplyToPair(const Element& many, const Element& one) {
    return swapped_ ? ApplyToElements(expr_.op, one, many, notes_)
                    : ApplyToElements(expr_.op, many, one, notes_);
  }

  // One element of the many side and one of the one side; null represents a filled-in element.
  using PairKey = std::pair<const EvaluatedSeries*, const EvaluatedSeries*>;
  struct Pair {
    LabelSet labels;
    bool drop_name = false;
    size_t result_number = 0;  // for the judge
    Column column;
  };
  // The state of a step-by-step evaluation of a group.
  struct GroupWork {
    GroupWork(const promql::VectorMatching& matching, QueryBudget& budget)
        : judge(matching), charge(budget) {}
    MatchJudge judge;
    SampleCharge charge;  // for the columns of the pairs
    std::vector<Pair> pairs;
    absl::flat_hash_map<PairKey, size_t> index;
  };

  // A broken rule and when it is found: step by step, first on the one side, then on the many side,
  // in the order of their series.
  struct Breach {
    size_t step = 0;
    bool on_many_side = false;
    uint32_t index = 0;
    absl::Status error;

    auto Order() const { return std::tuple(step, on_many_side, index); }
  };

  // The query fails with the first breach of all groups.
  void Note(Breach breach) {
    if (!breach_.has_value() || breach.Order() < breach_->Order()) breach_ = std::move(breach);
  }

  // Stops at the first breach.
  absl::Status ApplyByStep(const Group& group) {
    GroupWork work(matching_, evaluator_.context().budget);
    for (size_t step = 0; step < evaluator_.grid().count; ++step) {
      LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
      LOCKSTEP_ASSIGN_OR_RETURN(const bool keeps_rules, ApplyAtStep(group, step, work));
      if (!keeps_rules) return absl::OkStatus();
    }
    for (Pair& pair : work.pairs) {
      LOCKSTEP_RETURN_IF_ERROR(
          output_.Add(std::move(pair.labels), pair.drop_name, std::move(pair.column)));
    }
    return absl::OkStatus();
  }

  // Returns false if a rule is broken.
  absl::StatusOr<bool> ApplyAtStep(const Group& group, size_t step, GroupWork& work) {
    const std::optional<const EvaluatedSeries*> found = OneAt(group, step);
    if (!found.has_value()) return false;
    const EvaluatedSeries* const one = *found;
    work.judge.StartStep();
    if (one == nullptr && !matching_.fill_right.has_value()) return true;
    for (const uint32_t index : group.left) {
      if (!many_[index].column.present(step)) continue;
      LOCKSTEP_ASSIGN_OR_RETURN(const bool keeps_rules,
                                StorePair({&many_[index], one}, step, work));
      if (!keeps_rules) return false;
    }
    if (one == nullptr || !matching_.fill_left.has_value() || work.judge.has_matched()) return true;
    return StorePair({nullptr, one}, step, work);
  }

  // The element of the one side at `step`; null if there is none, empty if there are several.
  std::optional<const EvaluatedSeries*> OneAt(const Group& group, size_t step) {
    const EvaluatedSeries* found = nullptr;
    for (const uint32_t index : group.right) {
      const EvaluatedSeries& series = one_[index];
      if (!series.column.present(step)) continue;
      if (found != nullptr && IsJudged(step)) {
        Note({step, false, index, DuplicateMatchError(*found, series, matching_)});
        return std::nullopt;
      }
      found = &series;
    }
    return found;
  }

  // Steps at which one side is empty are not checked.
  bool IsJudged(size_t step) {
    if (fills()) return true;
    if (many_is_present_.empty()) {
      many_is_present_.resize(evaluator_.grid().count);
      for (const EvaluatedSeries& series : many_) {
        series.column.ForEachPresent([&](size_t present) { many_is_present_[present] = true; });
      }
    }
    return many_is_present_[step];
  }

  // Returns false if a rule is broken.
  absl::StatusOr<bool> StorePair(const PairKey& key, size_t step, GroupWork& work) {
    const auto [many, one] = key;
    const Element many_element =
        many != nullptr ? ElementAt(many->column, step) : Element{*matching_.fill_left, nullptr};
    const Element one_element =
        one != nullptr ? ElementAt(one->column, step) : Element{*matching_.fill_right, nullptr};
    const ElementResult result = ApplyToPair(many_element, one_element);
    if (result.kind == ElementResult::Kind::kNothing) return true;
    LOCKSTEP_ASSIGN_OR_RETURN(Pair* const pair, PairOf(key, work));
    if (absl::Status match = work.judge.Match(pair->result_number); !match.ok()) {
      // A filled-in element is the only one of its group.
      Note({step, true, static_cast<uint32_t>(many - many_.data()), std::move(match)});
      return false;
    }
    Store(result, step, pair->column);
    return true;
  }

  absl::StatusOr<Pair*> PairOf(const PairKey& key, GroupWork& work) const {
    const auto [found, added] = work.index.try_emplace(key, work.pairs.size());
    if (!added) return &work.pairs[found->second];
    const size_t step_count = evaluator_.grid().count;
    LOCKSTEP_RETURN_IF_ERROR(work.charge.Add(static_cast<int64_t>(step_count)));
    const auto [many, one] = key;
    Pair pair;
    pair.labels = ResultLabels(many != nullptr ? many->labels : MatchLabels(one->labels, matching_),
                               one != nullptr ? one->labels : MatchLabels(many->labels, matching_));
    LOCKSTEP_RETURN_IF_ERROR(work.charge.AddText(pair.labels.bytes().size()));
    pair.drop_name = many != nullptr ? DropsName(*many) : expr_.return_bool;
    pair.result_number = work.judge.NumberOf(pair.labels);
    pair.column = Column(step_count);
    work.pairs.push_back(std::move(pair));
    return &work.pairs.back();
  }

  LabelSet ResultLabels(const LabelSet& many, const LabelSet& one) const {
    LabelSet labels = IsArithmetic(expr_.op) ? DropMetric(many) : many;
    if (matching_.cardinality == MatchCardinality::kOneToOne) {
      labels = matching_.on ? labels.Keep(matching_.labels) : labels.Drop(matching_.labels);
    }
    if (matching_.include.empty()) return labels;
    LabelSetBuilder builder(labels);
    for (const std::string& name : matching_.include) builder.Set(name, one.Get(name));
    return builder.Build();
  }

  // Arithmetic has already dropped the name; a name that is there now was included explicitly.
  bool DropsName(const EvaluatedSeries& many) const {
    return expr_.return_bool || (many.drop_name && !IsArithmetic(expr_.op));
  }

  const BinaryExpr& expr_;
  const promql::VectorMatching& matching_;
  const bool swapped_;
  Evaluator& evaluator_;
  BinaryNotes notes_;
  SeriesAssembler output_;
  const VectorValue left_;
  const VectorValue right_;
  const std::vector<EvaluatedSeries>& many_;
  const std::vector<EvaluatedSeries>& one_;
  std::vector<bool> many_is_present_;  // by step; computed on first use
  std::optional<Breach> breach_;
};

}  // namespace

absl::StatusOr<EvaluatedValue> ApplyToVectors(const BinaryExpr& expr, VectorOperands operands,
                                              Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue result,
                            VectorBinary(expr, std::move(operands), evaluator).Run());
  return EvaluatedValue(std::move(result));
}

}  // namespace lockstep::engine
