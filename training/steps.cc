#include "training/steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "training/column_blocks.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

struct PhaseWord {
  std::string_view word;
  PhaseKind kind;
};

// The first word that a name contains decides: waits before the communication they are part of,
// communication before the pass whose gradients it carries.
constexpr std::array kPhaseWords = {
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

void AddTo(std::span<double> sum, std::span<const double> part) {
  for (size_t n = 0; n < sum.size(); ++n) sum[n] += part[n];
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

std::string_view PhaseKindName(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kData:
      return "data";
    case PhaseKind::kHostToDevice:
      return "h2d";
    case PhaseKind::kForward:
      return "forward";
    case PhaseKind::kBackward:
      return "backward";
    case PhaseKind::kOptimizer:
      return "optimizer";
    case PhaseKind::kCompute:
      return "compute";
    case PhaseKind::kCommunication:
      return "communication";
    case PhaseKind::kWait:
      return "wait";
    case PhaseKind::kOther:
      break;
  }
  return "other";
}

RankMatrix SumOfPhases(const StepTable& table, std::initializer_list<PhaseKind> kinds,
                       TaskPool* pool) {
  std::vector<const RankMatrix*> parts;
  for (const PhaseColumn& phase : table.phases) {
    if (std::find(kinds.begin(), kinds.end(), phase.kind) == kinds.end()) continue;
    parts.push_back(&phase.seconds);
  }
  if (parts.empty()) return {};
  RankMatrix sum(parts.front()->rows(), parts.front()->columns());
  InStretches(sum.rows(), pool, [&](Stretch stretch) {
    for (size_t row = stretch.first; row < stretch.end; ++row) {
      std::ranges::copy(parts.front()->Row(row), sum.Row(row).begin());
      for (size_t i = 1; i < parts.size(); ++i) AddTo(sum.Row(row), parts[i]->Row(row));
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
  const double seconds = Median(table.step_seconds.Column(n));
  return std::isnan(seconds) ? table.end_ms[n] : table.end_ms[n] - std::llround(seconds * 1000.0);
}

}  // namespace lockstep::training
