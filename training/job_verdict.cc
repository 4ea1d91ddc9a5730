#include "training/job_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::training {
namespace {

// Medians over fewer steps are not enough to call a job healthy.
constexpr size_t kFewestStepsToTell = 10;

struct Finding {
  JobVerdict verdict = JobVerdict::kUnknown;
  std::string sentence;
  std::vector<size_t> rows = {};
  double margin = kUnknown;
};

// "rank 3", "ranks 1 and 5", "7 ranks (first: 12)".
std::string RanksInWords(const Job& job, const std::vector<size_t>& rows) {
  const auto rank = [&](size_t i) { return job.ranks[rows[i]].rank; };
  if (rows.size() == 1) return absl::StrFormat("rank %d", rank(0));
  if (rows.size() == 2) return absl::StrFormat("ranks %d and %d", rank(0), rank(1));
  return absl::StrFormat("%d ranks (first: %d)", rows.size(), rank(0));
}

std::string Sentence(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') {
    words[0] = static_cast<char>(words[0] - 'a' + 'A');
  }
  return words;
}

bool IsOpen(const SlowRankFinding& finding) {
  return std::any_of(finding.episodes.begin(), finding.episodes.end(),
                     [](const StragglerEpisode& episode) { return episode.is_open; });
}

bool Says(const StragglerAnswer& answer, StragglerVerdict verdict) {
  return answer.verdict == verdict ||
         std::find(answer.also.begin(), answer.also.end(), verdict) != answer.also.end();
}

class Judge {
 public:
  explicit Judge(const JobVerdictInput& input) : input_(input) {}

  JobVerdictAnswer Answer();

 private:
  void Add(Finding finding) { findings_.push_back(std::move(finding)); }

  void AddState();
  void AddEvents();
  void AddStragglers();
  void AddSlowRanks(const StragglerAnswer& answer, JobVerdict verdict, bool by_network);
  void AddBottleneck();
  void AddFlags();
  bool IsHealthy() const;
  Confidence ConfidenceOf(const Finding* worst) const;

  const JobVerdictInput& input_;
  std::vector<Finding> findings_;
};

void Judge::AddState() {
  const std::string after =
      input_.steps.size() == 0 ? "" : absl::StrFormat(" after step %d", input_.steps.step.back());
  if (input_.state == JobState::kCrashed) {
    Add({JobVerdict::kCrashed, absl::StrFormat("The job died%s, before it finished.", after)});
  }
  // A stall that the job recovered from is history.
  const auto is_stall = [this](const Event& event) {
    return event.kind == EventKind::kStall &&
           (input_.steps.size() == 0 || event.time.max_ms > input_.steps.end_ms.back());
  };
  if (input_.state == JobState::kStalled ||
      std::any_of(input_.events.begin(), input_.events.end(), is_stall)) {
    Add({JobVerdict::kHanging,
         absl::StrFormat("No step has ended%s, but the job still holds its devices.", after)});
  }
  if (input_.not_reporting.empty()) return;
  std::vector<size_t> rows;
  for (const NotReportingRank& rank : input_.not_reporting) rows.push_back(rank.row);
  std::string words = absl::StrFormat("%s stopped reporting", RanksInWords(input_.job, rows));
  if (const auto step = input_.not_reporting.front().last_step; step.has_value()) {
    words += absl::StrFormat(" after step %d", *step);
  }
  Add({JobVerdict::kNotReporting, Sentence(words + ", while others continue."), std::move(rows)});
}

void Judge::AddEvents() {
  for (const Event& event : input_.events) {
    if (event.kind == EventKind::kNan && !input_.steps.loss.empty()) {
      // Loss scaling skips a step that overflows once; only a loss that stays NaN has diverged.
      const size_t last = input_.steps.size() - 1;
      const std::vector<double> losses = input_.steps.loss.Column(last);
      const bool is_lost = std::none_of(losses.begin(), losses.end(),
                                        [](double loss) { return std::isfinite(loss); });
      if (is_lost) {
        Add({JobVerdict::kDiverged,
             absl::StrFormat("The loss is NaN from step %d on.", event.step.value_or(0)),
             event.rows});
      }
    }
    if (event.kind == EventKind::kMemoryLeak) {
      Add({JobVerdict::kMemoryLeak,
           Sentence(absl::StrFormat("Device memory on %s keeps growing.",
                                    RanksInWords(input_.job, event.rows))),
           event.rows});
    }
  }
}

void Judge::AddSlowRanks(const StragglerAnswer& answer, JobVerdict verdict, bool by_network) {
  std::vector<size_t> rows;
  const SlowRankFinding* latest = nullptr;
  for (const SlowRankFinding& finding : answer.ranks) {
    if ((finding.cause == StragglerCause::kNetwork) != by_network || !IsOpen(finding)) continue;
    rows.push_back(finding.row);
    if (latest == nullptr) latest = &finding;
  }
  if (latest == nullptr) return;
  std::string words = absl::StrFormat("%s hold%s the others back", RanksInWords(input_.job, rows),
                                      rows.size() == 1 ? "s" : "");
  if (std::isfinite(latest->score)) {
    words += absl::StrFormat(" by %.1f %% of a step", 100 * latest->score);
  }
  words += latest->cause == StragglerCause::kUnknown
               ? "; the cause is unknown."
               : absl::StrFormat("; cause: %s.", Name(latest->cause));
  Add({verdict, Sentence(std::move(words)), std::move(rows), answer.confidence.margin});
}

void Judge::AddStragglers() {
  if (input_.stragglers == nullptr) return;
  const StragglerAnswer& answer = *input_.stragglers;
  AddSlowRanks(answer, JobVerdict::kSlowRank, false);
  if (Says(answer, StragglerVerdict::kUnevenWork)) {
    Add({JobVerdict::kUnevenWork,
         "Work is uneven: a different rank is slowest each time, so no machine is to blame.",
         {},
         answer.confidence.margin});
  } else if (Says(answer, StragglerVerdict::kStageImbalance)) {
    Add({JobVerdict::kUnevenWork,
         "Work is uneven: one pipeline stage has more work than the others.",
         {},
         answer.confidence.margin});
  }
  AddSlowRanks(answer, JobVerdict::kNetwork, true);
  if (Says(answer, StragglerVerdict::kJobSlowAll) && answer.slow_since.has_value() &&
      answer.slow_since->is_open) {
    std::string words = "Steps became slower";
    if (const auto step = answer.slow_since->first_step; step.has_value()) {
      words += absl::StrFormat(" at step %d", *step);
    }
    Add({JobVerdict::kSlower, words + ", and no rank stands out.", {}, answer.confidence.margin});
  }
}

void Judge::AddBottleneck() {
  if (input_.bottlenecks == nullptr) return;
  const BottleneckAnswer& answer = *input_.bottlenecks;
  const auto add = [&](JobVerdict verdict, std::string_view words) {
    Add({verdict, std::string(words), {}, answer.confidence.margin});
  };
  switch (answer.verdict) {
    case BottleneckClass::kIdle:
      return add(JobVerdict::kIdle, "The job holds its devices but leaves them idle.");
    case BottleneckClass::kInputBound:
      if (answer.host_cause == HostCause::kLaunches) {
        return add(JobVerdict::kLaunchBound,
                   "Devices idle between tiny kernels: the host cannot launch them fast enough.");
      }
      if (answer.host_cause == HostCause::kCopies) {
        return add(JobVerdict::kInputBound, "Devices wait for copies to and from their host.");
      }
      return add(JobVerdict::kInputBound, "Devices wait for their input.");
    case BottleneckClass::kFakeLoad:
      return add(JobVerdict::kFakeLoad, "Devices look busy but do almost no work.");
    case BottleneckClass::kWaiting:
      return add(JobVerdict::kCommunicationBound,
                 "Devices wait in collectives while no data is exchanged.");
    case BottleneckClass::kCommunicationBound:
      return add(JobVerdict::kCommunicationBound,
                 "Devices spend most of their time exchanging data.");
    case BottleneckClass::kMemoryBound:
      return add(JobVerdict::kMemoryBound, "Device memory bandwidth is the limit.");
    case BottleneckClass::kLatencyBound:
      return add(JobVerdict::kLatencyBound, "Threads wait for memory accesses.");
    case BottleneckClass::kComputeBound:
    case BottleneckClass::kUnknown:
      return;
  }
}

void Judge::AddFlags() {
  if (input_.bottlenecks == nullptr) return;
  std::vector<size_t> throttled;
  std::vector<size_t> failing;
  for (const GpuBottleneck& gpu : input_.bottlenecks->gpus) {
    for (const BottleneckFlag flag : gpu.flags) {
      if (flag == BottleneckFlag::kUnhealthy) failing.push_back(gpu.row);
      if (flag != BottleneckFlag::kThrottled && flag != BottleneckFlag::kPowerBraked) continue;
      if (throttled.empty() || throttled.back() != gpu.row) throttled.push_back(gpu.row);
    }
  }
  if (!failing.empty()) {
    std::string words =
        absl::StrFormat("the device of %s reports uncorrectable errors: drain its node.",
                        RanksInWords(input_.job, failing));
    Add({JobVerdict::kFailingDevice, Sentence(std::move(words)), std::move(failing)});
  }
  if (throttled.empty()) return;
  std::string words = absl::StrFormat("heat or power limits hold down the clocks on %s.",
                                      RanksInWords(input_.job, throttled));
  Add({JobVerdict::kThrottled, Sentence(std::move(words)), std::move(throttled)});
}

// A job is healthy only if there is evidence of work: its devices, or the phases of enough steps.
bool Judge::IsHealthy() const {
  if (input_.bottlenecks == nullptr) return false;
  const BottleneckAnswer& answer = *input_.bottlenecks;
  if (answer.verdict == BottleneckClass::kComputeBound) return true;
  const bool computes = HasPhase(input_.steps, PhaseKind::kForward) ||
                        HasPhase(input_.steps, PhaseKind::kBackward) ||
                        HasPhase(input_.steps, PhaseKind::kCompute);
  const bool has_shares = !answer.evidence.empty();
  return answer.gpus.empty() && computes && has_shares && input_.steps.size() >= kFewestStepsToTell;
}

Confidence Judge::ConfidenceOf(const Finding* worst) const {
  Confidence confidence{.steps = input_.steps.size()};
  const auto join = [&confidence](const Confidence& other) {
    confidence.steps = std::max(confidence.steps, other.steps);
    confidence.samples = std::max(confidence.samples, other.samples);
    for (const std::string& missing : other.missing) {
      std::vector<std::string>& all = confidence.missing;
      if (std::find(all.begin(), all.end(), missing) == all.end()) all.push_back(missing);
    }
  };
  if (input_.stragglers != nullptr) join(input_.stragglers->confidence);
  if (input_.bottlenecks != nullptr) join(input_.bottlenecks->confidence);
  if (worst != nullptr) {
    confidence.margin = worst->margin;
  } else if (input_.bottlenecks != nullptr) {
    confidence.margin = input_.bottlenecks->confidence.margin;
  }
  return confidence;
}

JobVerdictAnswer Judge::Answer() {
  AddState();
  AddEvents();
  AddStragglers();
  AddBottleneck();
  AddFlags();
  std::stable_sort(findings_.begin(), findings_.end(),
                   [](const Finding& a, const Finding& b) { return a.verdict < b.verdict; });
  JobVerdictAnswer answer;
  if (findings_.empty()) {
    answer.confidence = ConfidenceOf(nullptr);
    const bool is_healthy = IsHealthy();
    answer.verdict = is_healthy ? JobVerdict::kHealthy : JobVerdict::kUnknown;
    if (is_healthy) {
      answer.sentence = "The devices are working, and nothing holds the job back.";
    } else {
      answer.sentence = "There is too little data to tell whether the job is healthy.";
      if (!answer.confidence.missing.empty()) {
        answer.sentence += absl::StrFormat(" Missing: %s.", answer.confidence.missing.front());
      }
    }
    return answer;
  }
  Finding& worst = findings_.front();
  answer.verdict = worst.verdict;
  answer.sentence = worst.sentence;
  answer.rows = worst.rows;
  answer.confidence = ConfidenceOf(&worst);
  for (const Finding& finding : findings_) {
    const JobVerdict last = answer.also.empty() ? answer.verdict : answer.also.back();
    if (finding.verdict != last) answer.also.push_back(finding.verdict);
  }
  return answer;
}

}  // namespace

std::string_view Name(JobVerdict verdict) {
  constexpr std::array<std::string_view, kJobVerdictCount> kNames = {"crashed",
                                                                     "hanging",
                                                                     "not_reporting",
                                                                     "diverged",
                                                                     "failing_device",
                                                                     "slow_rank",
                                                                     "uneven_work",
                                                                     "network",
                                                                     "slower",
                                                                     "input_bound",
                                                                     "communication_bound",
                                                                     "fake_load",
                                                                     "idle",
                                                                     "throttled",
                                                                     "memory_leak",
                                                                     "memory_bound",
                                                                     "latency_bound",
                                                                     "launch_bound",
                                                                     "healthy",
                                                                     "unknown"};
  return kNames[static_cast<size_t>(verdict)];
}

JobVerdictAnswer VerdictOf(const JobVerdictInput& input) { return Judge(input).Answer(); }

}  // namespace lockstep::training
