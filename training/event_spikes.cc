// Spikes of loss and gradient norm, and values that are no numbers.
#include <algorithm>
#include <cmath>
#include <span>

#include "training/event_finders.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

constexpr size_t kStepsBefore = 20;
// On recorded healthy jobs the mean loss stays below 1.12 times the median of the steps before, two
// steps running; a learning rate 40 times too high makes it 5.
constexpr double kLossFactor = 1.5;
// Norms are noisier: up to 3.6 times on healthy jobs, 11 there.
constexpr double kGradientFactor = 6.0;

// What a spike looks like.
struct SpikeRule {
  EventKind kind;
  std::string_view signal;
  double factor;
  size_t running;  // steps above in a row
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

// The reference stays that of the steps before the spike while it lasts.
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
    // The next reference must not hold the spike itself.
    n = end + kStepsBefore;
  }
}

// Runs of steps in which `matrix` has a value that is reported as no finite number. Unknown and
// "not a number" are the same to a matrix, so only ranks that reported before and after count.
void FindNansOf(const StepTable& table, const RankMatrix& matrix, std::string_view signal,
                std::vector<Event>& events) {
  for (size_t row = 0; row < matrix.rows(); ++row) {
    const std::span<const double> values = matrix.Row(row);
    const auto bad = std::find_if(values.begin(), values.end(), [&](const double& value) {
      const auto n = static_cast<size_t>(&value - values.data());
      const bool is_reported =
          table.step_seconds.empty() || !std::isnan(table.step_seconds(row, n));
      return !std::isfinite(value) && is_reported;
    });
    if (bad == values.end() ||
        std::none_of(values.begin(), bad, [](double value) { return std::isfinite(value); })) {
      continue;
    }
    const auto n = static_cast<size_t>(bad - values.begin());
    Event event{.kind = EventKind::kNan,
                .time = {StepBeginMs(table, n), table.end_ms[n]},
                .step = table.step[n],
                .rows = {row}};
    event.evidence.push_back({.signal = std::string(signal), .words = "is no number from here on"});
    events.push_back(std::move(event));
  }
}

}  // namespace

void FindSpikes(const EventInput& input, std::vector<Event>& events) {
  FindSpikesOf(input.steps, input.steps.loss, {EventKind::kLossSpike, "loss", kLossFactor, 2},
               events);
  FindSpikesOf(input.steps, input.steps.gradient_norm,
               {EventKind::kGradientSpike, "gradient_norm", kGradientFactor, 1}, events);
}

void FindNans(const EventInput& input, std::vector<Event>& events) {
  FindNansOf(input.steps, input.steps.loss, "loss", events);
  FindNansOf(input.steps, input.steps.gradient_norm, "gradient_norm", events);
}

}  // namespace lockstep::training
