#include "training/step_alignment.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockstep::training {
namespace {

std::vector<int64_t> AllSteps(std::span<const RankSteps> ranks) {
  std::vector<int64_t> steps;
  for (const RankSteps& rank : ranks) {
    std::vector<int64_t> own = rank.step;
    std::sort(own.begin(), own.end());
    std::vector<int64_t> both;
    std::set_union(steps.begin(), steps.end(), own.begin(), own.end(), std::back_inserter(both));
    steps = std::move(both);
  }
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

// For each entry of a rank, the column it belongs to.
std::vector<size_t> ColumnsOf(const RankSteps& rank, const std::vector<int64_t>& steps) {
  std::vector<size_t> columns;
  columns.reserve(rank.step.size());
  for (const int64_t step : rank.step) {
    const auto at = std::lower_bound(steps.begin(), steps.end(), step);
    columns.push_back(static_cast<size_t>(at - steps.begin()));
  }
  return columns;
}

class Aligner {
 public:
  explicit Aligner(std::span<const RankSteps> ranks) : ranks_(ranks) {
    table_.step = AllSteps(ranks);
    table_.end_ms.assign(table_.step.size(), 0);
    for (const RankSteps& rank : ranks) columns_.push_back(ColumnsOf(rank, table_.step));
  }

  StepTable Build() {
    SetEnds();
    Put(&RankSteps::step_seconds, table_.step_seconds);
    Put(&RankSteps::own_seconds, table_.own_seconds);
    Put(&RankSteps::loss, table_.loss);
    Put(&RankSteps::gradient_norm, table_.gradient_norm);
    Put(&RankSteps::memory_allocated_bytes, table_.memory_allocated_bytes);
    Put(&RankSteps::model_flops, table_.model_flops);
    Put(&RankSteps::tokens, table_.tokens);
    PutPhases();
    return std::move(table_);
  }

 private:
  void SetEnds() {
    for (size_t row = 0; row < ranks_.size(); ++row) {
      for (size_t i = 0; i < columns_[row].size(); ++i) {
        int64_t& end = table_.end_ms[columns_[row][i]];
        end = std::max(end, ranks_[row].end_ms[i]);
      }
    }
  }

  void PutRow(size_t row, const std::vector<double>& values, RankMatrix& matrix) {
    if (values.empty()) return;
    if (matrix.empty()) matrix = RankMatrix(ranks_.size(), table_.step.size());
    for (size_t i = 0; i < values.size(); ++i) matrix(row, columns_[row][i]) = values[i];
  }

  void Put(std::vector<double> RankSteps::*column, RankMatrix& matrix) {
    for (size_t row = 0; row < ranks_.size(); ++row) PutRow(row, ranks_[row].*column, matrix);
  }

  void PutPhases() {
    for (size_t row = 0; row < ranks_.size(); ++row) {
      for (const NamedColumn& phase : ranks_[row].phases) {
        auto at = std::find_if(table_.phases.begin(), table_.phases.end(),
                               [&](const PhaseColumn& known) { return known.name == phase.name; });
        if (at == table_.phases.end()) {
          at = table_.phases.insert(at, {phase.name, PhaseKindOf(phase.name), {}});
        }
        PutRow(row, phase.values, at->seconds);
      }
    }
  }

  std::span<const RankSteps> ranks_;
  std::vector<std::vector<size_t>> columns_;
  StepTable table_;
};

}  // namespace

StepTable AlignSteps(std::span<const RankSteps> ranks) { return Aligner(ranks).Build(); }

}  // namespace lockstep::training
