#include "query/engine/aggregates/aggregate_eval.h"

#include <algorithm>

#include "query/engine/kernels/aggregators.h"
#include "query/engine/kernels/numbers/quantile.h"
#include "query/engine/kernels/step_fold.h"

namespace lockstep::engine {
namespace {

using promql::AggregateOp;

// The results of one group: the value of a step is set if its bit is.
struct FoldedGroup {
  StepBlock span;  // begins at a multiple of 64
  std::vector<double> values;
  std::vector<uint64_t> presence;

  explicit FoldedGroup(StepBlock steps)
      : span(steps),
        values(steps.end - steps.begin),
        presence((steps.end - steps.begin + 63) / 64) {}

  // Threads set steps in separate words.
  void Set(size_t step, double value) {
    const size_t i = step - span.begin;
    values[i] = value;
    presence[i / 64] |= uint64_t{1} << (i % 64);
  }
  bool present(size_t step) const {
    const size_t i = step - span.begin;
    return ((presence[i / 64] >> (i % 64)) & 1) != 0;
  }
};

class FloatFold {
 public:
  FloatFold(const FoldQuestion& question, const std::vector<EvaluatedSeries>& series,
            std::span<const AggregateGroup> groups, QueryContext& context)
      : question_(question), series_(series), groups_(groups), context_(context) {}

  absl::StatusOr<std::vector<Column>> Run() {
    for (size_t group = 0; group < groups_.size(); ++group) CutGroup(group);
    CutTasks();
    context_.pool.Run(task_ends_.size(), [this](size_t task) {
      Row row;
      const size_t begin = task == 0 ? 0 : task_ends_[task - 1];
      for (size_t piece = begin; piece < task_ends_[task]; ++piece) Fold(pieces_[piece], row);
    });
    LOCKSTEP_RETURN_IF_ERROR(context_.budget.Check());
    return Columns();
  }

 private:
  // Some steps of a group.
  struct Piece {
    size_t group = 0;
    StepBlock steps;
    size_t point_count = 0;
  };
  // Scratch memory of a thread, reused for the next piece.
  struct Row {
    StepFold fold;
    std::vector<double> values;  // of one step
  };

  // Enough work to outweigh waking a thread.
  static constexpr size_t kPointsOfTask = 16'384;
  static constexpr size_t kMembersPerCheck = 256;

  void CutGroup(size_t group) {
    const StepBlock span = SpanOf(groups_[group], series_);
    const size_t member_count = groups_[group].members.size();
    const size_t words = std::max<size_t>(1, kPointsOfTask / member_count / 64);
    for (size_t begin = span.begin; begin < span.end; begin += 64 * words) {
      const StepBlock steps = {begin, std::min(begin + 64 * words, span.end)};
      pieces_.push_back({group, steps, member_count * (steps.end - steps.begin)});
    }
    folded_.emplace_back(span);
  }

  void CutTasks() {
    size_t point_count = 0;
    for (size_t piece = 0; piece < pieces_.size(); ++piece) {
      point_count += pieces_[piece].point_count;
      if (point_count < kPointsOfTask && piece + 1 < pieces_.size()) continue;
      task_ends_.push_back(piece + 1);
      point_count = 0;
    }
  }

  void Fold(const Piece& piece, Row& row) {
    if (question_.op == AggregateOp::kQuantile) return FoldQuantiles(piece, row);
    row.fold.Reset(question_.op, piece.steps.end - piece.steps.begin);
    const std::vector<uint32_t>& members = groups_[piece.group].members;
    for (size_t i = 0; i < members.size(); ++i) {
      if (i % kMembersPerCheck == 0 && !context_.budget.Check().ok()) return;
      series_[members[i]].column.ForEachRun(piece.steps,
                                            [&](size_t step, std::span<const double> values) {
                                              row.fold.Add(step - piece.steps.begin, values);
                                            });
    }
    for (size_t step = piece.steps.begin; step < piece.steps.end; ++step) {
      const StepFold::Result result = row.fold.At(step - piece.steps.begin);
      if (result.kind == StepFold::Result::Kind::kNone) continue;
      const bool is_known = result.kind == StepFold::Result::Kind::kFloat;
      folded_[piece.group].Set(step, is_known ? result.value : FoldStep(members, step));
    }
  }

  // The plain way. Precondition: a member has a value.
  double FoldStep(const std::vector<uint32_t>& members, size_t step) const {
    GroupAccumulator accumulator;
    for (const uint32_t index : members) {
      const Column& column = series_[index].column;
      if (column.present(step)) accumulator.Add(question_.op, column.value(step));
    }
    AnnotationSink nothing_to_say;  // floats cause no annotations
    return accumulator.Finish(question_.op, 0, nothing_to_say).value;
  }

  // One step at a time, because a quantile needs all values of the step.
  void FoldQuantiles(const Piece& piece, Row& row) {
    for (size_t step = piece.steps.begin; step < piece.steps.end; ++step) {
      if (!context_.budget.Check().ok()) return;
      row.values.clear();
      for (const uint32_t index : groups_[piece.group].members) {
        const Column& column = series_[index].column;
        if (column.present(step)) row.values.push_back(column.value(step));
      }
      if (row.values.empty()) continue;
      folded_[piece.group].Set(step, Quantile(question_.params[step], row.values));
    }
  }

  std::vector<Column> Columns() const {
    std::vector<Column> columns;
    columns.reserve(folded_.size());
    for (const FoldedGroup& folded : folded_) {
      columns.emplace_back(series_[groups_[0].members[0]].column.step_count());
      columns.back().SetFloats(folded.span, [&folded](size_t step, double& value) {
        value = folded.values[step - folded.span.begin];
        return folded.present(step);
      });
    }
    return columns;
  }

  const FoldQuestion question_;
  const std::vector<EvaluatedSeries>& series_;
  const std::span<const AggregateGroup> groups_;
  QueryContext& context_;
  std::vector<FoldedGroup> folded_;  // by group
  std::vector<Piece> pieces_;
  std::vector<size_t> task_ends_;  // in pieces_
};

}  // namespace

absl::StatusOr<std::vector<Column>> FoldFloats(const FoldQuestion& question,
                                               const std::vector<EvaluatedSeries>& series,
                                               std::span<const AggregateGroup> groups,
                                               QueryContext& context) {
  return FloatFold(question, series, groups, context).Run();
}

}  // namespace lockstep::engine
