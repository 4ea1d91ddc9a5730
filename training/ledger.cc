#include "training/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "training/statistics.h"

namespace lockstep::training {
namespace {

constexpr double kSecondsPerHour = 3600.0;
constexpr double kJoulesPerKwh = 3.6e6;
constexpr double kMillijoulesPerJoule = 1000.0;

double Seconds(int64_t from_ms, int64_t to_ms) {
  return static_cast<double>(std::max<int64_t>(0, to_ms - from_ms)) / 1000.0;
}

double KnownOr(double value, double otherwise) { return std::isnan(value) ? otherwise : value; }

// What a step is made of, for one attempt.
struct StepParts {
  RankMatrix input;     // empty: not reported
  RankMatrix exchange;  // empty: not reported
  double usual_seconds = kUnknown;
};

StepParts PartsOf(const StepTable& table) {
  return {SumOfPhases(table, {PhaseKind::kData, PhaseKind::kHostToDevice}),
          SumOfPhases(table, {PhaseKind::kCommunication}), Median(JobStepSeconds(table))};
}

class LedgerKeeper {
 public:
  // `course` may be null.
  LedgerKeeper(const Job& job, const TimeRange& time, std::vector<LedgerPoint>* course)
      : course_(course) {
    ledger_.gpu_count = job.ranks.size();
    ledger_.wall_seconds = Seconds(time.from_ms, time.to_ms);
    now_ms_ = time.from_ms;
    end_ms_ = time.to_ms;
  }

  void Add(const Attempt& attempt, bool is_first) {
    SpendUntil(attempt.time.from_ms, is_first ? LedgerBin::kStartUp : LedgerBin::kRecovery);
    const StepTable& table = *attempt.steps;
    const StepParts parts = PartsOf(table);
    for (size_t n = 0; n < table.size(); ++n) {
      AddStep(table, parts, n);
      if (course_ != nullptr) course_->push_back({now_ms_, ledger_.gpu_seconds});
    }
    if (!table.step.empty()) highest_step_ = std::max(highest_step_, table.step.back());
    SpendUntil(attempt.time.to_ms, LedgerBin::kIdleHeld);
  }

  Ledger Finish() {
    SpendUntil(end_ms_, LedgerBin::kIdleHeld);
    return ledger_;
  }

 private:
  double GpuCount() const { return static_cast<double>(ledger_.gpu_count); }

  void SpendUntil(int64_t time_ms, LedgerBin bin) {
    time_ms = std::min(time_ms, end_ms_);
    if (time_ms <= now_ms_) return;
    ledger_[bin] += Seconds(now_ms_, time_ms) * GpuCount();
    now_ms_ = time_ms;
  }

  void AddStep(const StepTable& table, const StepParts& parts, size_t n) {
    const bool is_first = n == 0;
    // The time until the step begins: the program starts, or pauses between steps.
    SpendUntil(StepBeginMs(table, n), is_first ? LedgerBin::kStartUp : LedgerBin::kIdleHeld);
    const int64_t end_ms = std::min(table.end_ms[n], end_ms_);
    double seconds = Seconds(now_ms_, end_ms);
    now_ms_ = std::max(now_ms_, end_ms);
    if (table.step[n] <= highest_step_) {
      ledger_[LedgerBin::kRecomputed] += seconds * GpuCount();
      return;
    }
    const bool hangs = seconds > kHangFactor * parts.usual_seconds;
    if (is_first || hangs) {
      // What is more than usual belongs elsewhere, the rest to the bin of an ordinary step.
      const double usual = std::min(seconds, parts.usual_seconds);
      ledger_[is_first ? LedgerBin::kStartUp : LedgerBin::kUnhealthy] +=
          (seconds - usual) * GpuCount();
      ledger_[LedgerBin::kProductive] += usual * GpuCount();
      return;
    }
    const double least = parts.exchange.empty() ? 0 : LeastExchange(parts.exchange, n);
    for (size_t row = 0; row < ledger_.gpu_count; ++row) Divide(parts, row, n, seconds, least);
  }

  // One rank's time in one step. `least`: the shortest exchange of any rank in it.
  void Divide(const StepParts& parts, size_t row, size_t n, double seconds, double least) {
    double rest = seconds;
    const auto spend = [&](LedgerBin bin, double wanted) {
      const double spent = std::clamp(wanted, 0.0, rest);
      ledger_[bin] += spent;
      rest -= spent;
    };
    if (!parts.input.empty()) spend(LedgerBin::kDataStall, KnownOr(parts.input(row, n), 0));
    if (!parts.exchange.empty()) {
      spend(LedgerBin::kCommunicationExposed, least);
      spend(LedgerBin::kStragglerWait, KnownOr(parts.exchange(row, n), least) - least);
    }
    ledger_[LedgerBin::kProductive] += rest;
  }

  // The last rank to arrive waits for nobody: what it spends is the exchange itself.
  static double LeastExchange(const RankMatrix& exchange, size_t n) {
    double least = kUnknown;
    for (size_t row = 0; row < exchange.rows(); ++row) {
      if (!(least <= exchange(row, n)) && !std::isnan(exchange(row, n))) least = exchange(row, n);
    }
    return KnownOr(least, 0);
  }

  std::vector<LedgerPoint>* const course_;
  Ledger ledger_;
  int64_t now_ms_ = 0;
  int64_t end_ms_ = 0;
  int64_t highest_step_ = std::numeric_limits<int64_t>::min();
};

// Watts over time; a sample holds since the one before it.
double JoulesFromPower(const CounterSeries& power, const TimeRange& time) {
  double joules = 0;
  bool any = false;
  for (size_t i = 1; i < power.timestamp_ms.size(); ++i) {
    const int64_t from_ms = std::max(power.timestamp_ms[i - 1], time.from_ms);
    const int64_t to_ms = std::min(power.timestamp_ms[i], time.to_ms);
    if (to_ms <= from_ms || std::isnan(power.value[i])) continue;
    joules += power.value[i] * Seconds(from_ms, to_ms);
    any = true;
  }
  return any ? joules : kUnknown;
}

}  // namespace

std::string_view Name(LedgerBin bin) {
  constexpr std::array<std::string_view, kLedgerBinCount> kNames = {
      "productive", "straggler_wait", "data_stall", "communication_exposed",
      "recomputed", "recovery",       "start_up",   "idle_held",
      "unhealthy"};
  return kNames[static_cast<size_t>(bin)];
}

double Ledger::EffectiveTrainingTimeRatio() const {
  const Ledger& ledger = *this;
  return (ledger[LedgerBin::kProductive] + ledger[LedgerBin::kStragglerWait] +
          ledger[LedgerBin::kDataStall] + ledger[LedgerBin::kCommunicationExposed]) /
         Total();
}

std::vector<LedgerPoint> LedgerCourseOf(const Job& job, const TimeRange& time,
                                        std::span<const Attempt> attempts) {
  std::vector<LedgerPoint> course;
  LedgerKeeper keeper(job, time, &course);
  for (size_t i = 0; i < attempts.size(); ++i) keeper.Add(attempts[i], i == 0);
  return course;
}

Ledger LedgerOf(const Job& job, const TimeRange& time, std::span<const Attempt> attempts) {
  LedgerKeeper keeper(job, time, nullptr);
  for (size_t i = 0; i < attempts.size(); ++i) keeper.Add(attempts[i], i == 0);
  return keeper.Finish();
}

Bill BillOf(const Ledger& ledger, double price_per_gpu_hour) {
  Bill bill;
  for (size_t bin = 0; bin < kLedgerBinCount; ++bin) {
    const double hours = ledger.gpu_seconds[bin] / kSecondsPerHour;
    bill.gpu_hours += hours;
    bill.cost_of_bin[bin] = hours * price_per_gpu_hour;
    bill.cost += bill.cost_of_bin[bin];
  }
  bill.wasted_cost = bill.cost - bill.cost_of_bin[static_cast<size_t>(LedgerBin::kProductive)];
  return bill;
}

EnergyUse EnergyOf(std::span<const GpuCounters> devices, const TimeRange& time, double steps,
                   double tokens, double price_per_kwh) {
  EnergyUse energy;
  for (const GpuCounters& device : devices) {
    double joules = IncreaseIn(device[DeviceCounter::kEnergyMj], time) / kMillijoulesPerJoule;
    if (std::isnan(joules)) {
      joules = JoulesFromPower(device[DeviceCounter::kPowerW], time);
      energy.is_from_power = energy.is_from_power || !std::isnan(joules);
    }
    if (!std::isnan(joules)) energy.joules = KnownOr(energy.joules, 0) + joules;
  }
  if (steps > 0) energy.joules_per_step = energy.joules / steps;
  if (tokens > 0) energy.joules_per_token = energy.joules / tokens;
  energy.cost = energy.joules / kJoulesPerKwh * price_per_kwh;
  return energy;
}

}  // namespace lockstep::training
