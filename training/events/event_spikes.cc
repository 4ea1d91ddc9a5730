// Spikes of the loss and the gradient norm, and NaN values.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "training/events/event_finders.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr size_t kStepsBefore = 20;
// On recorded healthy jobs, the mean loss of two consecutive steps stays below 1.12 times the
// median of the steps before; a learning rate 40 times too high gives 5.
constexpr double kLossFactor = 1.5;
// Norms are noisier: up to 3.6 times on healthy jobs, 11 in that one.
constexpr double kGradientFactor = 6.0;

// A value that is not logged in every step is missing if it is absent this many times longer than
// usual.
constexpr double kSilentFactor = 3.0;

// Criteria for a spike.
struct SpikeRule {
  EventKind kind;
  std::string_view signal;
  double factor;
  size_t running;  // consecutive steps above the threshold
};

std::vector<double> MeanOfRanks(const RankMatrix& matrix) {
  std::vector<double> means(matrix.columns());
  for (size_t n = 0; n < means.size(); ++n) means[n] = Mean(matrix.Column(n));
  return means;
}

Event SpikeAt(const StepTable& table, const SpikeRule& rule, size_t first, size_t last, double peak,
              double usual) {
  Event event{.kind = rule.kind,
              .time = {StepBeginMs(table, first), table.end_ms[last]},
              .step = table.step[first]};
  event.evidence.push_back({.signal = std::string(rule.signal),
                            .value = peak,
                            .reference = usual,
                            .words = "its peak, against the median of the 20 steps before"});
  return event;
}

// During a spike, the reference remains the median of the steps before it.
void FindSpikesOf(const StepTable& table, const RankMatrix& matrix, const SpikeRule& rule,
                  std::vector<Event>& events) {
  const std::vector<double> values = MeanOfRanks(matrix);
  size_t n = kStepsBefore;
  while (n + rule.running <= values.size()) {
    const double usual = Median(std::span(values).subspan(n - kStepsBefore, kStepsBefore));
    size_t end = n;
    double peak = 0;
    while (end < values.size() && values[end] > rule.factor * usual) {
      peak = std::max(peak, values[end++]);
    }
    if (end - n < rule.running || !(usual > 0)) {
      ++n;
      continue;
    }
    events.push_back(SpikeAt(table, rule, n, end - 1, peak, usual));
    // The next reference must not include the spike itself.
    n = end + kStepsBefore;
  }
}

// The columns in which the rank reported its step.
std::vector<size_t> ReportedColumns(const StepTable& table, size_t row) {
  std::vector<size_t> columns;
  for (size_t n = 0; n < table.size(); ++n) {
    if (table.step_seconds.empty() || !std::isnan(table.step_seconds(row, n))) columns.push_back(n);
  }
  return columns;
}

// The first step in which a row of `matrix` is not finite. A matrix does not distinguish unknown
// from NaN, so for a value that is logged only in, say, every tenth step, only a long absence
// counts.
std::optional<size_t> FirstNan(const StepTable& table, const RankMatrix& matrix, size_t row) {
  const std::vector<size_t> columns = ReportedColumns(table, row);
  std::vector<double> distances;
  std::optional<size_t> last_finite;  // like the other positions here, an index into `columns`
  std::optional<size_t> first_bad;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::isfinite(matrix(row, columns[i]))) {
      if (last_finite.has_value()) distances.push_back(static_cast<double>(i - *last_finite));
      last_finite = i;
    } else if (last_finite.has_value() && !first_bad.has_value()) {
      first_bad = i;
    }
  }
  if (!first_bad.has_value()) return std::nullopt;
  const double usual = distances.empty() ? 1.0 : Median(distances);
  if (usual <= 1) return columns[*first_bad];
  const auto silent = static_cast<double>(columns.size() - 1 - *last_finite);
  if (silent < kSilentFactor * usual) return std::nullopt;
  return columns[*last_finite + static_cast<size_t>(usual)];
}

struct NanSignal {
  std::string_view name;
  const RankMatrix& values;
};

}  // namespace

void FindSpikes(const EventInput& input, std::vector<Event>& events) {
  FindSpikesOf(input.steps, input.steps.loss, {EventKind::kLossSpike, "loss", kLossFactor, 2},
               events);
  FindSpikesOf(input.steps, input.steps.gradient_norm,
               {EventKind::kGradientSpike, "gradient_norm", kGradientFactor, 1}, events);
}

// A NaN loss makes NaN gradients, and an all-reduce spreads them to every rank. Reports one event,
// at the first NaN, with all affected ranks and signals.
void FindNans(const EventInput& input, std::vector<Event>& events) {
  const StepTable& table = input.steps;
  const NanSignal signals[] = {{"loss", table.loss}, {"gradient_norm", table.gradient_norm}};
  std::optional<size_t> first;
  Event event{.kind = EventKind::kNan};
  for (const NanSignal& signal : signals) {
    std::optional<size_t> first_of_signal;
    for (size_t row = 0; row < signal.values.rows(); ++row) {
      const std::optional<size_t> n = FirstNan(table, signal.values, row);
      if (!n.has_value()) continue;
      first_of_signal = std::min(n.value(), first_of_signal.value_or(*n));
      if (std::find(event.rows.begin(), event.rows.end(), row) == event.rows.end()) {
        event.rows.push_back(row);
      }
    }
    if (!first_of_signal.has_value()) continue;
    first = std::min(*first_of_signal, first.value_or(*first_of_signal));
    event.evidence.push_back(
        {.signal = std::string(signal.name),
         .words = absl::StrFormat("is NaN from step %d on", table.step[*first_of_signal])});
  }
  if (!first.has_value()) return;
  std::sort(event.rows.begin(), event.rows.end());
  event.time = {StepBeginMs(table, *first), table.end_ms[*first]};
  event.step = table.step[*first];
  events.push_back(std::move(event));
}

}  // namespace lockstep::training
