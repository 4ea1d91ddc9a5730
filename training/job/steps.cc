#include "training/job/steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "training/matrix/column_blocks.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

struct PhaseWord {
  std::string_view word;
  PhaseKind kind;
};

// The first word that occurs in a name decides: "checkpoint_wait" is a checkpoint and
// "validation_data" an evaluation. Waits come before the communication that contains them, and
// communication before the pass whose gradients it carries.
constexpr std::array kPhaseWords = {
    PhaseWord{"checkpoint", PhaseKind::kCheckpoint},
    PhaseWord{"ckpt", PhaseKind::kCheckpoint},
    PhaseWord{"eval", PhaseKind::kEvaluation},
    PhaseWord{"valid", PhaseKind::kEvaluation},
    PhaseWord{"wait", PhaseKind::kWait},
    PhaseWord{"allreduce", PhaseKind::kCommunication},
    PhaseWord{"all_reduce", PhaseKind::kCommunication},
    PhaseWord{"all-reduce", PhaseKind::kCommunication},
    PhaseWord{"allgather", PhaseKind::kCommunication},
    PhaseWord{"all_gather", PhaseKind::kCommunication},
    PhaseWord{"all-gather", PhaseKind::kCommunication},
    PhaseWord{"reduce_scatter", PhaseKind::kCommunication},
    PhaseWord{"reduce-scatter", PhaseKind::kCommunication},
    PhaseWord{"send", PhaseKind::kCommunication},
    PhaseWord{"recv", PhaseKind::kCommunication},
    PhaseWord{"comm", PhaseKind::kCommunication},
    PhaseWord{"sync", PhaseKind::kCommunication},
    PhaseWord{"h2d", PhaseKind::kHostToDevice},
    PhaseWord{"host_to_device", PhaseKind::kHostToDevice},
    PhaseWord{"memcpy", PhaseKind::kHostToDevice},
    PhaseWord{"data", PhaseKind::kData},
    PhaseWord{"batch", PhaseKind::kData},
    PhaseWord{"input", PhaseKind::kData},
    PhaseWord{"load", PhaseKind::kData},
    PhaseWord{"forward", PhaseKind::kForward},
    PhaseWord{"fwd", PhaseKind::kForward},
    PhaseWord{"backward", PhaseKind::kBackward},
    PhaseWord{"bwd", PhaseKind::kBackward},
    PhaseWord{"optim", PhaseKind::kOptimizer},
    PhaseWord{"compute", PhaseKind::kCompute},
    PhaseWord{"kernel", PhaseKind::kCompute},
};

// Whether phases of this kind are reported only in the steps in which they happen.
bool IsOccasional(PhaseKind kind) {
  return kind == PhaseKind::kCheckpoint || kind == PhaseKind::kEvaluation ||
         kind == PhaseKind::kOther;
}

RankMatrix ColumnsOf(const RankMatrix& matrix, size_t first, size_t end) {
  if (matrix.empty() || first == end) return {};
  RankMatrix part(matrix.rows(), end - first);
  for (size_t row = 0; row < matrix.rows(); ++row) {
    std::ranges::copy(matrix.Row(row).subspan(first, end - first), part.Row(row).begin());
  }
  return part;
}

void AddTo(std::span<double> sum, const PhaseColumn& phase, size_t row) {
  const std::span<const double> part = phase.seconds.Row(row);
  const bool is_occasional = IsOccasional(phase.kind);
  for (size_t n = 0; n < sum.size(); ++n) {
    sum[n] += is_occasional && std::isnan(part[n]) ? 0.0 : part[n];
  }
}

}  // namespace

PhaseKind PhaseKindOf(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const PhaseWord& entry : kPhaseWords) {
    if (lower.find(entry.word) != std::string::npos) return entry.kind;
  }
  return PhaseKind::kOther;
}

StepTable StepsIn(const StepTable& table, const TimeRange& time) {
  const std::vector<int64_t>& ends = table.end_ms;
  const auto first = static_cast<size_t>(
      std::find_if(ends.begin(), ends.end(), [&](int64_t end) { return end > time.min_ms; }) -
      ends.begin());
  size_t end = first;
  while (end < ends.size() && ends[end] <= time.max_ms) ++end;
  const auto cut = [first, end](const auto& values) {
    using Values = std::remove_cvref_t<decltype(values)>;
    if (values.empty()) return Values();
    return Values(values.begin() + static_cast<ptrdiff_t>(first),
                  values.begin() + static_cast<ptrdiff_t>(end));
  };
  StepTable part;
  part.step = cut(table.step);
  part.end_ms = cut(table.end_ms);
  part.attempt_first_step = table.attempt_first_step;
  part.job_step_seconds = cut(table.job_step_seconds);
  for (const PhaseColumn& phase : table.phases) {
    part.phases.push_back({phase.name, phase.kind, ColumnsOf(phase.seconds, first, end)});
  }
  if (part.step.empty()) part.phases.clear();
  for (RankMatrix StepTable::*const values :
       {&StepTable::step_seconds, &StepTable::own_seconds, &StepTable::loss,
        &StepTable::gradient_norm, &StepTable::memory_allocated_bytes, &StepTable::model_flops,
        &StepTable::tokens}) {
    part.*values = ColumnsOf(table.*values, first, end);
  }
  return part;
}

RankMatrix SumOfPhases(const StepTable& table, std::initializer_list<PhaseKind> kinds,
                       TaskPool* pool) {
  std::vector<const PhaseColumn*> parts;
  for (const PhaseColumn& phase : table.phases) {
    if (std::find(kinds.begin(), kinds.end(), phase.kind) == kinds.end()) continue;
    parts.push_back(&phase);
  }
  if (parts.empty()) return {};
  const RankMatrix& first = parts.front()->seconds;
  RankMatrix sum = RankMatrix::Unset(first.rows(), first.columns());
  InStretches(sum.rows(), pool, [&](Stretch stretch) {
    for (size_t row = stretch.first; row < stretch.end; ++row) {
      std::ranges::fill(sum.Row(row), 0.0);
      for (const PhaseColumn* phase : parts) AddTo(sum.Row(row), *phase, row);
    }
  });
  return sum;
}

bool HasPhase(const StepTable& table, PhaseKind kind) {
  return std::any_of(table.phases.begin(), table.phases.end(),
                     [kind](const PhaseColumn& phase) { return phase.kind == kind; });
}

std::vector<double> JobStepSeconds(const StepTable& table, TaskPool* pool) {
  if (!table.job_step_seconds.empty()) return table.job_step_seconds;
  if (table.step_seconds.empty()) return std::vector<double>(table.size(), kUnknown);
  return ColumnMedians(table.step_seconds, pool);
}

int64_t StepBeginMs(const StepTable& table, size_t n) {
  if (n > 0 && table.step[n - 1] + 1 == table.step[n]) return table.end_ms[n - 1];
  if (table.step_seconds.empty()) return table.end_ms[n];
  // A trainer may report anything.
  constexpr double kLongestSeconds = 1e9;
  const double seconds = std::clamp(Median(table.step_seconds.Column(n)), 0.0, kLongestSeconds);
  return std::isnan(seconds) ? table.end_ms[n] : table.end_ms[n] - std::llround(seconds * 1000.0);
}

}  // namespace lockstep::training
