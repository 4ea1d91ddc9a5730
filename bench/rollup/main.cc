// Measures the benefit and the cost of rollup rows: queries functions over an hour, at every hour
// of some days, over one metric of a job, from a store with rollup rows, once using them and once
// ignoring them.
//
// The two answers are compared bit by bit before measuring. Times are CPU times of the single
// querying thread.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "query/engine/engine.h"
#include "storage/db/store.h"
#include "storage/kv/store.h"
#include "storage/rollup/rollup_row_builder.h"
#include "tests/all_samples.h"

namespace lockstep {
namespace {

constexpr int64_t kHourMs = int64_t{60} * 60 * 1000;
// At a window boundary.
constexpr int64_t kStartMs = 118'055 * 4 * kHourMs;
constexpr int64_t kPointMs = 15'000;
// Two hours between seals, so that every window is merged from two runs.
constexpr size_t kPointsPerSeal = 480;

struct Options {
  std::string recording;
  std::string data_dir;
  std::string metric = "DCGM_FI_PROF_SM_ACTIVE";
  uint32_t rank_count = 256;
  size_t hour_count = 168;
  int repeats = 5;
};

class Bench {
 public:
  Bench(Store& store, const replay::Fleet& fleet, const Options& options)
      : store_(store), all_samples_(store), options_(options), fleet_(fleet) {
    for (size_t i = 0; i < fleet.series_count(); ++i) {
      if (fleet.Labels(i, 0).metric_name() == options.metric) series_.push_back(i);
    }
  }

  absl::Status Run() {
    if (series_.empty()) return absl::NotFoundError("the recording has no " + options_.metric);
    LOCKSTEP_RETURN_IF_ERROR(Write());
    LOCKSTEP_RETURN_IF_ERROR(store_.Seal());
    const double before = ProcessCpuSeconds();
    LOCKSTEP_RETURN_IF_ERROR(store_.Settle());
    const double merged = ProcessCpuSeconds() - before;
    const double rolled_up = RollUp();
    std::printf("%zu series x %zu hours, a sample every %d s, %s\n", series_.size(),
                options_.hour_count, static_cast<int>(kPointMs / 1000), options_.metric.c_str());
    std::printf("merging to cold: %.0f ns of CPU a sample, %.1f of them for rollup rows\n",
                merged / SampleCount() * 1e9, rolled_up / SampleCount() * 1e9);
    std::printf("%-18s %10s %10s %7s\n", "over [1h]", "rollup ms", "samples ms", "ratio");
    for (const std::string call :
         {"max_over_time", "min_over_time", "last_over_time", "count_over_time", "increase"}) {
      LOCKSTEP_RETURN_IF_ERROR(Compare(call));
    }
    return absl::OkStatus();
  }

 private:
  size_t point_count() const {
    return options_.hour_count * static_cast<size_t>(kHourMs / kPointMs);
  }
  double SampleCount() const { return static_cast<double>(series_.size() * point_count()); }

  absl::Status Write() {
    for (size_t begin = 0; begin < point_count(); begin += kPointsPerSeal) {
      const size_t end = std::min(point_count(), begin + kPointsPerSeal);
      WriteRequest request;
      for (const size_t series : series_) {
        SeriesWrite& write = request.series.emplace_back();
        write.labels = fleet_.Labels(series, 0);
        for (size_t i = begin; i < end; ++i) write.samples.push_back(fleet_.At(series, i));
      }
      std::promise<absl::StatusOr<WriteOutcome>> promise;
      store_.Write(std::move(request), [&promise](absl::StatusOr<WriteOutcome> outcome) {
        promise.set_value(std::move(outcome));
      });
      LOCKSTEP_RETURN_IF_ERROR(promise.get_future().get().status());
      LOCKSTEP_RETURN_IF_ERROR(store_.Seal());
    }
    return absl::OkStatus();
  }

  // Rolls up all samples, block by block and window by window. Returns CPU seconds.
  double RollUp() const {
    constexpr auto kPointsPerWindow = static_cast<size_t>(kRollupWindowMs / kPointMs);
    double seconds = 0;
    RollupRowBuilder builder;
    std::vector<SampleColumns> block(kMaxRollupSeries);
    for (size_t begin = 0; begin < point_count(); begin += kPointsPerWindow) {
      for (size_t first = 0; first < series_.size(); first += block.size()) {
        const size_t count = std::min(block.size(), series_.size() - first);
        const size_t end = std::min(point_count(), begin + kPointsPerWindow);
        for (size_t i = 0; i < count; ++i) {
          block[i].Clear();
          for (size_t point = begin; point < end; ++point) {
            const Sample sample = fleet_.At(series_[first + i], point);
            block[i].Append(sample.timestamp_ms, sample.value);
          }
        }
        const double before = ThreadCpuSeconds();
        for (size_t i = 0; i < count; ++i) {
          builder.Add(static_cast<uint32_t>(i), block[i],
                      kStartMs + static_cast<int64_t>(begin) * kPointMs);
        }
        builder.Finish();
        seconds += ThreadCpuSeconds() - before;
      }
    }
    return seconds;
  }

  absl::Status Compare(const std::string& call) {
    const std::string text = call + "(" + options_.metric + "[1h])";
    LOCKSTEP_ASSIGN_OR_RETURN(const Answer with, Ask(store_, text));
    LOCKSTEP_ASSIGN_OR_RETURN(const Answer without, Ask(all_samples_, text));
    if (!AreSame(with.matrix, without.matrix)) {
      return absl::InternalError("the answers with and without rollup rows differ: " + text);
    }
    double least_with = with.seconds, least_without = without.seconds;
    for (int i = 0; i < options_.repeats; ++i) {
      LOCKSTEP_ASSIGN_OR_RETURN(const Answer again_with, Ask(store_, text));
      LOCKSTEP_ASSIGN_OR_RETURN(const Answer again_without, Ask(all_samples_, text));
      least_with = std::min(least_with, again_with.seconds);
      least_without = std::min(least_without, again_without.seconds);
    }
    std::printf("%-18s %10.1f %10.1f %7.1f\n", call.c_str(), least_with * 1e3, least_without * 1e3,
                least_without / least_with);
    return absl::OkStatus();
  }

  struct Answer {
    engine::MatrixResult matrix;
    double seconds = 0;
  };

  absl::StatusOr<Answer> Ask(const Storage& storage, const std::string& text) const {
    const engine::Engine engine(storage, {});
    QueryBudget budget(int64_t{1} << 40, QueryBudget::Clock::time_point::max());
    const int64_t end_ms = kStartMs + static_cast<int64_t>(options_.hour_count) * kHourMs;
    const double before = ThreadCpuSeconds();
    LOCKSTEP_ASSIGN_OR_RETURN(
        engine::QueryResult result,
        engine.Execute(engine::RangeQuery{text, kStartMs + kHourMs, end_ms, kHourMs}, budget));
    const double seconds = ThreadCpuSeconds() - before;
    return Answer{std::get<engine::MatrixResult>(std::move(result.value)), seconds};
  }

  static bool AreSame(const engine::MatrixResult& a, const engine::MatrixResult& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.labels == y.labels && x.samples.timestamps_ms == y.samples.timestamps_ms &&
             std::equal(x.samples.values.begin(), x.samples.values.end(), y.samples.values.begin(),
                        y.samples.values.end(), [](double v, double w) {
                          return std::bit_cast<uint64_t>(v) == std::bit_cast<uint64_t>(w);
                        });
    });
  }

  Store& store_;
  const AllSamples all_samples_;
  const Options& options_;
  const replay::Fleet& fleet_;
  std::vector<size_t> series_;
};

// Prints the size of both kinds of rows before RocksDB compresses them. The store must be closed.
absl::Status PrintBytes(const std::string& data_dir) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::unique_ptr<kv::Store> kv,
      kv::Store::OpenReadOnly(data_dir + "/shard-000", kv::Env::Default(),
                              std::make_shared<const kv::Resources>(kv::ResourceLimits{})));
  const auto bytes_of = [&kv](kv::Space space) {
    double bytes = 0;
    for (kv::Cursor row = kv->NewCursor(space, {}); row.Valid(); row.Next()) {
      bytes += static_cast<double>(row.value().size());
    }
    return bytes;
  };
  const double cold = bytes_of(kv::Space::kCold), rollup = bytes_of(kv::Space::kRollup);
  std::printf("chunk rows %.0f KiB, rollup rows %.0f KiB: %.1f %%\n", cold / 1024, rollup / 1024,
              100 * rollup / cold);
  return absl::OkStatus();
}

absl::Status Run(const Options& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<replay::RecordedGpu> recording,
                            replay::ReadRecording(options.recording));
  const replay::Fleet fleet(std::move(recording), {options.rank_count, kStartMs, kPointMs});
  StoreOptions store_options;
  store_options.data_dir = options.data_dir;
  store_options.shard_count = 1;
  const int64_t end_ms = kStartMs + static_cast<int64_t>(options.hour_count) * kHourMs;
  store_options.now_ms = [end_ms] { return end_ms; };
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, OpenStore(store_options));
  LOCKSTEP_RETURN_IF_ERROR(Bench(*store, fleet, options).Run());
  LOCKSTEP_RETURN_IF_ERROR(store->Close());
  store.reset();
  return PrintBytes(options.data_dir);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Runs queries that rollup rows answer, with and without them.");
  app.add_option("--recording", options.recording, "OpenMetrics file to replay")->required();
  app.add_option("--data", options.data_dir, "an empty folder")->required();
  app.add_option("--metric", options.metric, "metric in the recording");
  app.add_option("--ranks", options.rank_count, "series of the metric")->check(CLI::Range(1, 4096));
  app.add_option("--hours", options.hour_count, "hours of samples")->check(CLI::Range(2, 336));
  app.add_option("--repeats", options.repeats, "runs of each query; the fastest counts")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
