// Measures the cost of the answers about one large job: reading it from the store, and finding what
// holds it back.
//
// A made job: every rank numbers its steps and times six phases of each, and its GPU has twelve
// counters every 15 s. Chips differ by about a percent, steps jitter, and one rank is late in the
// last third: the answer must name it. Times are wall times with all cores in use.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/derived/derived_metrics.h"
#include "answers/load/job_list.h"
#include "answers/load/job_loader.h"
#include "base/status.h"
#include "storage/db/store.h"
#include "training/bottlenecks/bottlenecks.h"
#include "training/efficiency/efficiency.h"
#include "training/efficiency/ledger.h"
#include "training/events/events.h"
#include "training/stragglers/stragglers.h"

namespace lockstep {
namespace {

using answers::JobNeeds;
using answers::LoadedJob;

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr int64_t kStepMs = 1000;
constexpr int64_t kScrapeMs = 15'000;
constexpr const char* kJob = "made";

struct Options {
  std::string data_dir;
  size_t ranks = 1024;
  size_t steps = 3600;
  int repeats = 3;

  size_t LateRank() const { return ranks / 3; }
};

struct MadePhase {
  const char* name;
  double seconds;
};
constexpr MadePhase kPhases[] = {{"data", 0.001},    {"h2d", 0.002},      {"forward", 0.26},
                                 {"backward", 0.56}, {"allreduce", 0.10}, {"optimizer", 0.06}};

struct MadeCounter {
  const char* name;
  double value;
};
constexpr MadeCounter kCounters[] = {{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.98},
                                     {"DCGM_FI_PROF_SM_ACTIVE", 0.88},
                                     {"DCGM_FI_PROF_SM_OCCUPANCY", 0.27},
                                     {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 0.56},
                                     {"DCGM_FI_PROF_DRAM_ACTIVE", 0.28},
                                     {"DCGM_FI_PROF_NVLINK_RX_BYTES", 1.4e10},
                                     {"DCGM_FI_PROF_PCIE_RX_BYTES", 3.4e7},
                                     {"DCGM_FI_DEV_POWER_USAGE", 683},
                                     {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 1e6},
                                     {"DCGM_FI_DEV_SM_CLOCK", 1660},
                                     {"DCGM_FI_DEV_GPU_TEMP", 57},
                                     {"DCGM_FI_DEV_FB_USED", 41448}};

// One rank's series.
class MadeRank {
 public:
  MadeRank(const Options& options, size_t rank) : options_(options), rank_(rank), random_(rank) {
    std::normal_distribution<double> chip(1.0, 0.004);
    speed_ = chip(random_);
  }

  void AddTo(WriteRequest& request) {
    Labelled(request, "train_step", {}, [](size_t step) { return static_cast<double>(step); });
    Labelled(request, "train_step_time_seconds", {},
             [this](size_t) { return 1.0 + Jitter(0.002); });
    Labelled(request, "train_tflops_per_gpu", {}, [this](size_t) { return 450 + Jitter(2); });
    Labelled(request, "train_loss", {}, [this](size_t step) {
      return 2 + 8 * std::exp(-static_cast<double>(step) / 500) + Jitter(0.01);
    });
    for (const MadePhase& phase : kPhases) {
      Labelled(request, "train_phase_seconds", phase.name, [&](size_t step) {
        const bool is_late = rank_ == options_.LateRank() && 3 * step > 2 * options_.steps &&
                             std::string_view(phase.name) == "forward";
        return phase.seconds * speed_ + Jitter(0.002) + (is_late ? 0.08 : 0);
      });
    }
    for (const MadeCounter& counter : kCounters) AddCounter(request, counter);
  }

 private:
  double Jitter(double deviation) {
    return std::normal_distribution<double>(0.0, deviation)(random_);
  }

  LabelSet Labels(std::string_view name, std::string_view phase) const {
    const std::string rank = absl::StrFormat("%d", rank_);
    const std::string gpu = absl::StrFormat("%d", rank_ % 8);
    const std::string host = absl::StrFormat("node-%d", rank_ / 8);
    return LabelSet::Of({{kMetricName, name},
                         {"job", kJob},
                         {"rank", rank},
                         {"gpu", gpu},
                         {"Hostname", host},
                         {"modelName", "NVIDIA H200"},
                         {"phase", phase}});
  }

  void Labelled(WriteRequest& request, std::string_view name, std::string_view phase,
                const std::function<double(size_t)>& value) {
    SeriesWrite& series = request.series.emplace_back();
    series.labels = Labels(name, phase);
    for (size_t step = 0; step < options_.steps; ++step) {
      const int64_t end_ms = kStartMs + kStepMs * static_cast<int64_t>(step + 1);
      // Rounded as a trainer logs them.
      series.samples.push_back({end_ms, std::round(value(step) * 1e6) / 1e6});
    }
  }

  void AddCounter(WriteRequest& request, const MadeCounter& counter) {
    SeriesWrite& series = request.series.emplace_back();
    series.labels = Labels(counter.name, "");
    const int64_t end_ms = kStartMs + kStepMs * static_cast<int64_t>(options_.steps);
    double value = counter.value;
    for (int64_t at = kStartMs + kScrapeMs; at <= end_ms; at += kScrapeMs) {
      value = counter.value > 1e5 && counter.value < 1e7 ? value + 1e7 : counter.value * speed_;
      series.samples.push_back({at, value});
    }
  }

  const Options& options_;
  const size_t rank_;
  std::mt19937 random_;
  double speed_ = 1;
};

class Bench {
 public:
  Bench(Store& store, const Options& options)
      : store_(store),
        options_(options),
        pool_(std::max(std::thread::hardware_concurrency(), 1U) - 1) {}

  absl::Status Run() {
    for (size_t rank = 0; rank < options_.ranks; ++rank) {
      WriteRequest request;
      MadeRank(options_, rank).AddTo(request);
      LOCKSTEP_RETURN_IF_ERROR(WriteAndWait(std::move(request)));
    }
    LOCKSTEP_RETURN_IF_ERROR(store_.Seal());
    std::printf("%zu ranks x %zu steps, %zu threads; seconds\n\n%-14s %8s %8s %8s\n",
                options_.ranks, options_.steps, pool_.concurrency(), "answer", "load", "find",
                "both");
    JobNeeds devices;
    devices.devices.set();
    JobNeeds phases{.phases = true};
    JobNeeds both{.phases = true};
    both.devices.set();
    JobNeeds operations{.operations = true};
    LOCKSTEP_RETURN_IF_ERROR(Time("stragglers", both, [this](const LoadedJob& job) {
      const auto answer = training::FindStragglers({job.job, job.steps, job.devices, &pool_});
      return answer.ranks.size() == 1 && answer.ranks[0].row == options_.LateRank();
    }));
    LOCKSTEP_RETURN_IF_ERROR(Time("bottlenecks", both, [](const LoadedJob& job) {
      return !training::FindBottlenecks({job.job, job.steps, job.devices}).gpus.empty();
    }));
    LOCKSTEP_RETURN_IF_ERROR(Time("mfu", operations, [](const LoadedJob& job) {
      return training::EfficiencyOf({.job = job.job, .steps = job.steps, .devices = {}})
                 .tflops_per_gpu > 0;
    }));
    LOCKSTEP_RETURN_IF_ERROR(Time("ledger", phases, [](const LoadedJob& job) {
      const training::Attempt attempt{job.time, &job.steps};
      return training::LedgerOf(job.job, job.time, {&attempt, 1}).Goodput() > 0;
    }));
    LOCKSTEP_RETURN_IF_ERROR(Time("events", JobNeeds::Everything(), [](const LoadedJob& job) {
      training::FindEvents({job.job, job.steps, job.devices, {}});
      return true;
    }));
    LOCKSTEP_RETURN_IF_ERROR(Time("score", phases, [this](const LoadedJob& job) {
      return answers::DerivedSeriesOf(answers::DerivedMetric::kStragglerScore, job).size() ==
             options_.ranks;
    }));
    return TimeList();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Find = std::function<bool(const LoadedJob&)>;

  absl::Status WriteAndWait(WriteRequest request) {
    std::promise<absl::StatusOr<WriteOutcome>> promise;
    store_.Write(std::move(request), [&promise](absl::StatusOr<WriteOutcome> outcome) {
      promise.set_value(std::move(outcome));
    });
    return promise.get_future().get().status();
  }

  static double SecondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  // The minimum over several repeats.
  absl::Status Time(const char* name, const JobNeeds& needs, const Find& find) {
    double load = std::numeric_limits<double>::infinity();
    double found = load;
    for (int i = 0; i < options_.repeats; ++i) {
      QueryBudget budget(std::numeric_limits<int64_t>::max(), Clock::time_point::max());
      const Clock::time_point start = Clock::now();
      LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, store_.NewQuerier());
      LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, answers::LoadJob({kJob, kAllTimes, {}, needs},
                                                                      {*querier, pool_, budget}));
      load = std::min(load, SecondsSince(start));
      const Clock::time_point loaded = Clock::now();
      if (!find(job)) return absl::InternalError(absl::StrFormat("%s is wrong", name));
      found = std::min(found, SecondsSince(loaded));
    }
    std::printf("%-14s %8.3f %8.3f %8.3f\n", name, load, found, load + found);
    return absl::OkStatus();
  }

  absl::Status TimeList() {
    QueryBudget budget(std::numeric_limits<int64_t>::max(), Clock::time_point::max());
    const Clock::time_point start = Clock::now();
    LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, store_.NewQuerier());
    LOCKSTEP_ASSIGN_OR_RETURN(const auto jobs,
                              answers::ListJobs({.now_ms = kStartMs}, {*querier, pool_, budget}));
    if (jobs.size() != 1) return absl::InternalError("the job is not listed");
    std::printf("%-14s %8s %8s %8.3f\n", "jobs", "", "", SecondsSince(start));
    return absl::OkStatus();
  }

  Store& store_;
  const Options& options_;
  TaskPool pool_;
};

absl::Status Run(const Options& options) {
  StoreOptions store_options;
  store_options.data_dir = options.data_dir;
  store_options.now_ms = [] { return kStartMs + int64_t{2} * 60 * 60 * 1000; };
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(store_options));
  LOCKSTEP_RETURN_IF_ERROR(Bench(*store, options).Run());
  return store->Close();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Asks about one large training job and reports the time.");
  app.add_option("--data", options.data_dir, "an empty folder")->required();
  app.add_option("--ranks", options.ranks, "ranks of the job")->check(CLI::Range(4, 100'000));
  app.add_option("--steps", options.steps, "steps of each rank, one second each")
      ->check(CLI::Range(60, 100'000));
  app.add_option("--repeats", options.repeats, "runs of each query; the fastest counts")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
