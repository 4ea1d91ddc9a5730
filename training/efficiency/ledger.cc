#include "training/efficiency/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "training/bottlenecks/bottlenecks.h"
#include "training/bottlenecks/long_steps.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr double kSecondsPerHour = 3600.0;
constexpr double kJoulesPerKwh = 3.6e6;

double Seconds(int64_t from_ms, int64_t to_ms) {
  return static_cast<double>(std::max<int64_t>(0, to_ms - from_ms)) / 1000.0;
}

double KnownOr(double value, double otherwise) { return std::isnan(value) ? otherwise : value; }

// The parts of steps of one attempt.
struct StepParts {
  RankMatrix input;       // empty if not reported
  RankMatrix exchange;    // empty if not reported
  RankMatrix checkpoint;  // empty if not reported
  RankMatrix evaluation;  // empty if not reported
  double usual_seconds = kUnknown;
  std::map<size_t, LongStep> long_steps;  // by column
};

StepParts PartsOf(const Attempt& attempt) {
  const StepTable& table = *attempt.steps;
  StepParts parts{.input = SumOfPhases(table, {PhaseKind::kData, PhaseKind::kHostToDevice}),
                  .exchange = SumOfPhases(table, {PhaseKind::kCommunication, PhaseKind::kWait}),
                  .checkpoint = SumOfPhases(table, {PhaseKind::kCheckpoint}),
                  .evaluation = SumOfPhases(table, {PhaseKind::kEvaluation}),
                  .usual_seconds = Median(JobStepSeconds(table)),
                  .long_steps = {}};
  for (const LongStep& step : FindLongSteps(table, attempt.devices)) {
    parts.long_steps[step.column] = step;
  }
  return parts;
}

// The bin for the extra time of a long step.
LedgerBin BinOf(LongStepReason reason) {
  switch (reason) {
    case LongStepReason::kCheckpoint:
      return LedgerBin::kCheckpoint;
    case LongStepReason::kEvaluation:
      return LedgerBin::kEvaluation;
    case LongStepReason::kInput:
      return LedgerBin::kDataStall;
    case LongStepReason::kStartUp:
      return LedgerBin::kStartUp;
    case LongStepReason::kOtherPhase:
    case LongStepReason::kRecurring:
      return LedgerBin::kPause;
    case LongStepReason::kUnexplained:
      break;
  }
  return LedgerBin::kUnhealthy;
}

// What a device did in a window, as shares of time; the rest is work.
struct DeviceUse {
  double rests = 0;
  double fakes = 0;
  double exchanges = 0;
  double waits = 0;
};

DeviceUse UseOf(BottleneckClass bottleneck, double engine) {
  switch (bottleneck) {
    case BottleneckClass::kIdle:
      return {.rests = 1};
    case BottleneckClass::kInputBound:
      return {.rests = std::isnan(engine) ? 0.0 : std::clamp(1 - engine, 0.0, 1.0)};
    case BottleneckClass::kFakeLoad:
      return {.fakes = 1};
    case BottleneckClass::kWaiting:
      return {.waits = 1};
    case BottleneckClass::kCommunicationBound:
      return {.exchanges = 1};
    default:
      return {};
  }
}

// What each device of an attempt did over time, window by window.
class DeviceCourses {
 public:
  DeviceCourses(const Job& job, const Attempt& attempt) {
    if (attempt.devices.size() != job.ranks.size()) return;
    Job own = job;
    own.begin_ms = attempt.time.min_ms;
    const BottleneckAnswer answer = FindBottlenecks({own, *attempt.steps, attempt.devices});
    for (const ClassifiedWindow& window : answer.windows) {
      end_ms_.push_back(window.time.max_ms);
      std::vector<DeviceUse>& uses = uses_.emplace_back();
      for (size_t row = 0; row < job.ranks.size(); ++row) {
        const double engine =
            MeanIn(attempt.devices[row][Role::kGpuGrEngineActiveRatio], window.time);
        uses.push_back(UseOf(window.gpus[row].bottleneck, engine));
      }
    }
  }

  bool empty() const { return uses_.empty(); }
  const std::vector<int64_t>& end_ms() const { return end_ms_; }

  // Returns the use in the window that contains `time_ms`, or in the nearest one. Precondition:
  // there is at least one window.
  const DeviceUse& At(size_t row, int64_t time_ms) const {
    const auto at = std::lower_bound(end_ms_.begin(), end_ms_.end(), time_ms);
    const auto window = static_cast<size_t>(at - end_ms_.begin());
    return uses_[std::min(window, uses_.size() - 1)][row];
  }

 private:
  std::vector<int64_t> end_ms_;               // of each window
  std::vector<std::vector<DeviceUse>> uses_;  // by window and row
};

class LedgerKeeper {
 public:
  // `course` may be null.
  LedgerKeeper(const Job& job, const TimeRange& time, std::vector<LedgerPoint>* course)
      : job_(job), shares_(GpuShares(job)), course_(course) {
    ledger_.gpu_count = GpuCount(job);
    ledger_.wall_seconds = Seconds(time.min_ms, time.max_ms);
    now_ms_ = time.min_ms;
    end_ms_ = time.max_ms;
  }

  void Add(const Attempt& attempt, bool is_first) {
    const DeviceCourses devices(job_, attempt);
    const StepTable& table = *attempt.steps;
    AddConfidence(attempt, !devices.empty());
    if (table.size() == 0 && !devices.empty()) return AddWithoutSteps(attempt, devices, is_first);
    SpendUntil(attempt.time.min_ms, is_first ? LedgerBin::kStartUp : LedgerBin::kRecovery);
    const StepParts parts = PartsOf(attempt);
    for (size_t n = 0; n < table.size(); ++n) {
      AddStep(table, parts, devices, n);
      if (course_ != nullptr) course_->push_back({now_ms_, ledger_.gpu_seconds});
    }
    if (!table.step.empty()) highest_step_ = std::max(highest_step_, table.step.back());
    SpendUntil(attempt.time.max_ms, LedgerBin::kIdleHeld);
  }

  Ledger Finish() {
    SpendUntil(end_ms_, LedgerBin::kIdleHeld);
    return ledger_;
  }

 private:
  double Gpus() const { return static_cast<double>(ledger_.gpu_count); }

  void SpendUntil(int64_t time_ms, LedgerBin bin) {
    time_ms = std::min(time_ms, end_ms_);
    if (time_ms <= now_ms_) return;
    ledger_[bin] += Seconds(now_ms_, time_ms) * Gpus();
    now_ms_ = time_ms;
  }

  void AddConfidence(const Attempt& attempt, bool has_devices) {
    Confidence& confidence = ledger_.confidence;
    confidence.steps += attempt.steps->size();
    size_t samples = 0;
    for (const GpuCounters& device : attempt.devices) {
      samples = std::max(samples, device[Role::kGpuGrEngineActiveRatio].value.size());
    }
    confidence.samples += samples;
    const auto miss = [&confidence](const char* what) {
      std::vector<std::string>& all = confidence.missing;
      if (std::find(all.begin(), all.end(), what) == all.end()) all.emplace_back(what);
    };
    if (attempt.steps->size() == 0) miss("steps");
    if (attempt.steps->phases.empty()) miss("step phases");
    if (!has_devices) miss("device counters over windows of 5 s and 10 steps");
  }

  // No steps are logged, so only the devices show what they did. An idle device counts as
  // idle_held.
  void AddWithoutSteps(const Attempt& attempt, const DeviceCourses& devices, bool is_first) {
    SpendUntil(attempt.time.min_ms, is_first ? LedgerBin::kIdleHeld : LedgerBin::kRecovery);
    std::vector<int64_t> ends = devices.end_ms();
    ends.back() = std::max(ends.back(), attempt.time.max_ms);
    for (const int64_t end : ends) {
      const int64_t end_ms = std::min(end, end_ms_);
      if (end_ms <= now_ms_) continue;
      const double seconds = Seconds(now_ms_, end_ms);
      for (size_t row = 0; row < shares_.size(); ++row) {
        double rest = seconds;
        SpendByDevice(devices.At(row, end_ms), LedgerBin::kIdleHeld, true, row, seconds, rest);
        Spend(LedgerBin::kProductive, rest, row, rest);
      }
      now_ms_ = end_ms;
      if (course_ != nullptr) course_->push_back({now_ms_, ledger_.gpu_seconds});
    }
  }

  void AddStep(const StepTable& table, const StepParts& parts, const DeviceCourses& devices,
               size_t n) {
    const bool is_first = n == 0;
    // Until the step begins, the program starts or pauses between steps.
    SpendUntil(StepBeginMs(table, n), is_first ? LedgerBin::kStartUp : LedgerBin::kIdleHeld);
    const int64_t end_ms = std::min(table.end_ms[n], end_ms_);
    double seconds = Seconds(now_ms_, end_ms);
    now_ms_ = std::max(now_ms_, end_ms);
    if (table.step[n] <= highest_step_) {
      ledger_[LedgerBin::kRecomputed] += seconds * Gpus();
      return;
    }
    const auto long_step = parts.long_steps.find(n);
    if (is_first || long_step != parts.long_steps.end()) {
      // Time above the usual goes to another bin, the rest to the bins of a normal step.
      const double usual_seconds = is_first ? parts.usual_seconds : long_step->second.usual_seconds;
      const double usual = std::min(seconds, usual_seconds);
      const LedgerBin bin = is_first ? LedgerBin::kStartUp : BinOf(long_step->second.reason);
      ledger_[bin] += (seconds - usual) * Gpus();
      ledger_[LedgerBin::kProductive] += usual * Gpus();
      return;
    }
    const double least = parts.exchange.empty() ? 0 : LeastExchange(parts.exchange, n);
    for (size_t row = 0; row < shares_.size(); ++row) {
      Divide(parts, devices, table.end_ms[n], row, n, seconds, least);
    }
  }

  // Spends `wanted` seconds, but at most the `rest` of the rank's time.
  void Spend(LedgerBin bin, double wanted, size_t row, double& rest) {
    const double spent = std::isnan(wanted) ? 0.0 : std::clamp(wanted, 0.0, rest);
    ledger_[bin] += spent * shares_[row];
    rest -= spent;
  }

  // Divides one rank's time in one step. `least` is the shortest exchange of any rank in the step.
  void Divide(const StepParts& parts, const DeviceCourses& devices, int64_t end_ms, size_t row,
              size_t n, double seconds, double least) {
    double rest = seconds;
    const auto spend = [&](LedgerBin bin, const RankMatrix& phase) {
      if (!phase.empty()) Spend(bin, phase(row, n), row, rest);
    };
    spend(LedgerBin::kCheckpoint, parts.checkpoint);
    spend(LedgerBin::kEvaluation, parts.evaluation);
    spend(LedgerBin::kDataStall, parts.input);
    if (!parts.exchange.empty()) {
      Spend(LedgerBin::kCommunicationExposed, least, row, rest);
      Spend(LedgerBin::kStragglerWait, KnownOr(parts.exchange(row, n), least) - least, row, rest);
    }
    if (!devices.empty()) {
      const bool phases_tell = !parts.input.empty() || !parts.exchange.empty();
      const DeviceUse& use = devices.At(row, end_ms);
      SpendByDevice(use, LedgerBin::kHostStall, !phases_tell, row, seconds, rest);
    }
    Spend(LedgerBin::kProductive, rest, row, rest);
  }

  // Divides `seconds` by device use, of which `rest` is not yet accounted for. Logged phases show
  // better than counters where a step waited, but not that its kernels do nothing.
  void SpendByDevice(const DeviceUse& use, LedgerBin resting, bool is_alone, size_t row,
                     double seconds, double& rest) {
    if (is_alone) {
      Spend(resting, use.rests * seconds, row, rest);
      Spend(LedgerBin::kCommunicationExposed, use.exchanges * seconds, row, rest);
      Spend(LedgerBin::kStragglerWait, use.waits * seconds, row, rest);
    }
    Spend(LedgerBin::kFakeLoad, use.fakes * seconds, row, rest);
  }

  // The last rank to arrive waits for nobody, so its time is the exchange itself.
  static double LeastExchange(const RankMatrix& exchange, size_t n) {
    double least = kUnknown;
    for (size_t row = 0; row < exchange.rows(); ++row) {
      if (!(least <= exchange(row, n)) && !std::isnan(exchange(row, n))) least = exchange(row, n);
    }
    return KnownOr(least, 0);
  }

  const Job& job_;
  const std::vector<double> shares_;  // by row: the rank's share of its GPU
  std::vector<LedgerPoint>* const course_;
  Ledger ledger_;
  int64_t now_ms_ = 0;
  int64_t end_ms_ = 0;
  int64_t highest_step_ = std::numeric_limits<int64_t>::min();
};

// Integrates watts over time; a sample covers the time since the previous one.
double JoulesFromPower(const CounterSeries& power, const TimeRange& time) {
  double joules = 0;
  bool any = false;
  for (size_t i = 1; i < power.timestamp_ms.size(); ++i) {
    const int64_t from_ms = std::max(power.timestamp_ms[i - 1], time.min_ms);
    const int64_t to_ms = std::min(power.timestamp_ms[i], time.max_ms);
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
      "unhealthy",  "checkpoint",     "evaluation", "pause",
      "host_stall", "fake_load"};
  return kNames[static_cast<size_t>(bin)];
}

double Ledger::Wasted() const {
  double wasted = 0;
  for (size_t bin = 0; bin < kLedgerBinCount; ++bin) {
    if (static_cast<LedgerBin>(bin) != LedgerBin::kProductive) wasted += gpu_seconds[bin];
  }
  return wasted;
}

double Ledger::EffectiveTrainingTimeRatio() const {
  const Ledger& ledger = *this;
  return (ledger[LedgerBin::kProductive] + ledger[LedgerBin::kStragglerWait] +
          ledger[LedgerBin::kDataStall] + ledger[LedgerBin::kCommunicationExposed] +
          ledger[LedgerBin::kHostStall]) /
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
    const bool is_wasted = static_cast<LedgerBin>(bin) != LedgerBin::kProductive;
    if (is_wasted) bill.wasted_cost += bill.cost_of_bin[bin];
  }
  return bill;
}

EnergyUse EnergyOf(const Job& job, std::span<const GpuCounters> devices, const TimeRange& time,
                   double steps, double tokens, double price_per_kwh) {
  EnergyUse energy;
  const std::vector<double> shares = GpuShares(job);
  for (size_t row = 0; row < devices.size(); ++row) {
    const GpuCounters& device = devices[row];
    double joules = IncreaseIn(device[Role::kGpuEnergyJoulesTotal], time);
    if (std::isnan(joules)) {
      joules = JoulesFromPower(device[Role::kGpuPowerWatts], time);
      energy.is_from_power = energy.is_from_power || !std::isnan(joules);
    }
    if (!std::isnan(joules)) energy.joules = KnownOr(energy.joules, 0) + joules * shares[row];
  }
  if (steps > 0) energy.joules_per_step = energy.joules / steps;
  if (tokens > 0) energy.joules_per_token = energy.joules / tokens;
  energy.cost = energy.joules / kJoulesPerKwh * price_per_kwh;
  return energy;
}

}  // namespace lockstep::training
