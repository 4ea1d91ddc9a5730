// Measures the cost of asking every few seconds which rank holds a running job back.
//
// A made job writes its steps to a real store; between the questions, only the CPU time of the
// answering thread counts, which excludes ingesting the steps. One rank is late in the last third
// of the steps, and the answer must name it.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <future>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/live_jobs.h"
#include "base/status.h"
#include "storage/db/store.h"
#include "storage/storage.h"

namespace lockstep {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr const char* kJob = "made";
constexpr const char* kPhases[] = {"data", "forward", "backward", "allreduce", "optimizer"};
constexpr double kSeconds[] = {0.005, 0.06, 0.1, 0.02, 0.01};

struct Options {
  std::string data_dir;
  int64_t ranks = 1024;
  int64_t steps = 3000;
  int64_t step_ms = 200;
  int64_t every_ms = 5000;
  int questions = 12;
};

class Bench {
 public:
  Bench(Store& store, const Options& options)
      : store_(store), options_(options), live_(store, std::numeric_limits<size_t>::max()) {}

  absl::Status Run() {
    constexpr int64_t kStepsAtOnce = 100;
    while (step_ < options_.steps) {
      LOCKSTEP_RETURN_IF_ERROR(Write(std::min(kStepsAtOnce, options_.steps - step_)));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const double first, Ask());
    std::printf("%lld ranks, steps of %lld ms\nfirst question: %.3f s of processor time\n",
                static_cast<long long>(options_.ranks), static_cast<long long>(options_.step_ms),
                first);
    std::vector<double> seconds;
    for (int i = 0; i < options_.questions; ++i) {
      LOCKSTEP_RETURN_IF_ERROR(Write(options_.every_ms / options_.step_ms));
      LOCKSTEP_ASSIGN_OR_RETURN(const double one, Ask());
      seconds.push_back(one);
    }
    std::ranges::sort(seconds);
    double sum = 0;
    for (const double one : seconds) sum += one;
    const double mean = sum / static_cast<double>(seconds.size());
    std::printf("each question: %.3f s (%.3f to %.3f), %.1f %% of a core when asked every %.0f s\n",
                mean, seconds.front(), seconds.back(),
                100 * mean * 1000 / static_cast<double>(options_.every_ms),
                static_cast<double>(options_.every_ms) / 1000);
    return absl::OkStatus();
  }

 private:
  absl::Status Write(int64_t steps) {
    WriteRequest request;
    for (int64_t rank = 0; rank < options_.ranks; ++rank) AddRank(rank, steps, request);
    step_ += steps;
    std::promise<absl::StatusOr<WriteOutcome>> promise;
    store_.Write(std::move(request), [&promise](absl::StatusOr<WriteOutcome> outcome) {
      promise.set_value(std::move(outcome));
    });
    return promise.get_future().get().status();
  }

  void AddRank(int64_t rank, int64_t steps, WriteRequest& request) {
    const std::string label = absl::StrFormat("%d", rank);
    const auto add = [&](std::string_view name, std::string_view phase, double seconds,
                         double late) {
      SeriesWrite& series = request.series.emplace_back();
      series.labels = LabelSet::Of({{kMetricName, name},
                                    {"job", kJob},
                                    {"rank", label},
                                    {"attempt", "0"},
                                    {"phase", phase}});
      for (int64_t n = step_; n < step_ + steps; ++n) {
        const double value = name == "train_step" ? static_cast<double>(n)
                                                  : seconds * (1 + 0.01 * noise_(random_)) +
                                                        (3 * n > 2 * options_.steps ? late : 0);
        series.samples.push_back({kStartMs + (n + 1) * options_.step_ms, value});
      }
    };
    const double late = rank == options_.ranks / 3 ? 0.05 : 0;
    add("train_step", "", 0, 0);
    add("train_step_time_seconds", "", 0.195, 0);
    for (size_t i = 0; i < std::size(kPhases); ++i) {
      add("train_phase_seconds", kPhases[i], kSeconds[i], i == 0 ? late : 0);
    }
  }

  absl::StatusOr<double> Ask() {
    const int64_t now_ms = kStartMs + step_ * options_.step_ms + 100;
    QueryBudget budget(std::numeric_limits<int64_t>::max(), QueryBudget::Clock::time_point::max());
    const double before = ThreadSeconds();
    const uint64_t change_count = store_.change_count();
    LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, store_.NewQuerier());
    bool is_right = false;
    const auto visit = [&](const answers::LoadedJob& job, const training::StragglerAnswer& answer) {
      is_right = answer.ranks.size() == 1 &&
                 job.job.ranks[answer.ranks[0].row].rank == options_.ranks / 3 &&
                 answer.ranks[0].episodes.back().is_open && job.steps.step.back() + 1 == step_;
    };
    LOCKSTEP_RETURN_IF_ERROR(
        live_.Find(kJob, now_ms, change_count, {*querier, pool_, budget}, visit).status());
    if (!is_right) return absl::InternalError("the late rank is not named");
    return ThreadSeconds() - before;
  }

  static double ThreadSeconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  Store& store_;
  const Options& options_;
  answers::LiveJobs live_;
  TaskPool pool_{0};
  int64_t step_ = 0;
  std::mt19937 random_{1};
  std::normal_distribution<double> noise_{0.0, 1.0};
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
  CLI::App app("Repeatedly asks which rank holds a running job back, and reports the cost.");
  app.add_option("--data", options.data_dir, "an empty folder")->required();
  app.add_option("--ranks", options.ranks, "ranks of the job")->check(CLI::Range(4, 100'000));
  app.add_option("--steps", options.steps, "steps before the first query")
      ->check(CLI::Range(60, 1'000'000));
  app.add_option("--step-ms", options.step_ms, "length of a step")->check(CLI::Range(1, 1'000'000));
  app.add_option("--every-ms", options.every_ms, "time between queries")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--questions", options.questions, "number of queries after the first")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
