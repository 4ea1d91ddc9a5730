// Measures reading through a Querier: one metric over all ranks of a job for a day, for each
// recorded metric, once from sealed data (hot) and once from merged data (cold).
//
// Every sample read is first compared with the one written. Times are CPU times of the single
// reading thread, including finding the series and their blocks.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "storage/db/store.h"

namespace lockstep {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr uint32_t kRanks = 64;  // of the fleet's jobs

struct Options {
  std::string recording;
  std::string data_dir;
  std::string metric;         // all if empty
  size_t point_count = 5760;  // a day of points 15 s apart
  int repeats = 5;
};

class Bench {
 public:
  Bench(Store& store, const replay::Fleet& fleet, const Options& options)
      : store_(store), fleet_(fleet), options_(options) {
    for (size_t series = 0; series < fleet.series_count(); ++series) {
      LabelSet labels = fleet.Labels(series, 0);
      std::string name(labels.metric_name());
      const bool is_wanted = options_.metric.empty() || name == options_.metric;
      if (series_.emplace(std::move(labels), series).second && series < metric_count() &&
          is_wanted) {
        metrics_.push_back(std::move(name));
      }
    }
  }

  absl::Status Run() {
    LOCKSTEP_RETURN_IF_ERROR(Write());
    LOCKSTEP_RETURN_IF_ERROR(store_.Seal());
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<double> hot, CheckAndScanAll());
    LOCKSTEP_RETURN_IF_ERROR(store_.Settle());
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<double> cold, CheckAndScanAll());
    std::printf("%u ranks x %zu points; M samples read per CPU second\n\n%-44s %8s %8s\n", kRanks,
                options_.point_count, "metric", "hot", "cold");
    for (size_t i = 0; i < metrics_.size(); ++i) {
      std::printf("%-44s %8.0f %8.0f\n", metrics_[i].c_str(), PerSecond(hot[i]),
                  PerSecond(cold[i]));
    }
    std::printf("%-44s %8.0f %8.0f\n", "all", PerSecondOfAll(hot), PerSecondOfAll(cold));
    return absl::OkStatus();
  }

 private:
  size_t metric_count() const { return fleet_.series_count() / kRanks; }
  // Millions of samples per second, given the seconds that one metric took, or each did.
  double PerSecond(double seconds) const {
    return static_cast<double>(kRanks * options_.point_count) / seconds / 1e6;
  }
  double PerSecondOfAll(const std::vector<double>& seconds) const {
    double sum = 0;
    for (const double one : seconds) sum += one;
    return PerSecond(sum / static_cast<double>(seconds.size()));
  }

  absl::Status Write() {
    constexpr size_t kPointsPerRequest = 60;
    for (size_t begin = 0; begin < options_.point_count; begin += kPointsPerRequest) {
      const size_t end = std::min(options_.point_count, begin + kPointsPerRequest);
      WriteRequest request;
      for (const auto& [labels, series] : series_) {
        SeriesWrite& write = request.series.emplace_back();
        write.labels = labels;
        for (size_t point = begin; point < end; ++point) {
          write.samples.push_back(fleet_.At(series, point));
        }
      }
      LOCKSTEP_RETURN_IF_ERROR(WriteAndWait(std::move(request), series_.size() * (end - begin)));
    }
    return absl::OkStatus();
  }

  absl::Status WriteAndWait(WriteRequest request, size_t sample_count) {
    std::promise<absl::StatusOr<WriteOutcome>> promise;
    store_.Write(std::move(request), [&promise](absl::StatusOr<WriteOutcome> outcome) {
      promise.set_value(std::move(outcome));
    });
    LOCKSTEP_ASSIGN_OR_RETURN(const WriteOutcome outcome, promise.get_future().get());
    if (outcome.written_count == sample_count) return absl::OkStatus();
    return absl::InternalError("not all samples of a request were new");
  }

  // The minimum over several repeats, by metric.
  absl::StatusOr<std::vector<double>> CheckAndScanAll() {
    std::vector<double> seconds;
    for (const std::string& metric : metrics_) {
      LOCKSTEP_RETURN_IF_ERROR(Check(metric));
      double least = 0;
      for (int i = 0; i < options_.repeats; ++i) {
        LOCKSTEP_ASSIGN_OR_RETURN(const double took, Scan(metric));
        least = i == 0 ? took : std::min(least, took);
      }
      seconds.push_back(least);
    }
    return seconds;
  }

  // The series of a metric, with the querier that found them.
  struct Found {
    std::unique_ptr<Querier> querier;
    std::vector<Matcher> matchers;
    std::unique_ptr<SeriesSet> set;
  };

  absl::StatusOr<Found> Select(const std::string& metric) {
    Found found;
    LOCKSTEP_ASSIGN_OR_RETURN(found.querier, store_.NewQuerier());
    found.matchers = {Matcher::Equal(std::string(kMetricName), metric),
                      Matcher::Equal("job", std::string(series_.begin()->first.Get("job")))};
    LOCKSTEP_ASSIGN_OR_RETURN(found.set,
                              found.querier->Select({found.matchers, kAllTimes, nullptr}));
    return found;
  }

  absl::StatusOr<double> Scan(const std::string& metric) {
    const double start = ThreadCpuSeconds();
    LOCKSTEP_ASSIGN_OR_RETURN(const Found found, Select(metric));
    size_t sample_count = 0;
    while (found.set->Next()) {
      columns_.Clear();
      LOCKSTEP_RETURN_IF_ERROR(found.set->Read(columns_));
      sample_count += columns_.size();
    }
    LOCKSTEP_RETURN_IF_ERROR(found.set->status());
    const double took = ThreadCpuSeconds() - start;
    if (sample_count == kRanks * options_.point_count) return took;
    return absl::InternalError("a scan missed samples of " + metric);
  }

  absl::Status Check(const std::string& metric) {
    LOCKSTEP_ASSIGN_OR_RETURN(const Found found, Select(metric));
    size_t series_count = 0;
    for (; found.set->Next(); ++series_count) {
      columns_.Clear();
      LOCKSTEP_RETURN_IF_ERROR(found.set->Read(columns_));
      const auto series = series_.find(found.set->labels());
      if (series == series_.end() || !IsAsWritten(series->second)) {
        return absl::InternalError("read back different samples of " +
                                   found.set->labels().ToString());
      }
    }
    if (series_count == kRanks) return found.set->status();
    return absl::InternalError("not every rank has " + metric);
  }

  bool IsAsWritten(size_t series) const {
    if (columns_.size() != options_.point_count) return false;
    for (size_t point = 0; point < options_.point_count; ++point) {
      const Sample sample = fleet_.At(series, point);
      if (columns_.timestamps_ms[point] != sample.timestamp_ms ||
          std::bit_cast<uint64_t>(columns_.values[point]) !=
              std::bit_cast<uint64_t>(sample.value)) {
        return false;
      }
    }
    return true;
  }

  Store& store_;
  const replay::Fleet& fleet_;
  const Options& options_;
  std::map<LabelSet, size_t> series_;  // their numbers in the fleet
  std::vector<std::string> metrics_;
  SampleColumns columns_;
};

absl::Status Run(const Options& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<replay::RecordedGpu> recording,
                            replay::ReadRecording(options.recording));
  const replay::Fleet fleet(std::move(recording), {kRanks, kStartMs, 15'000});
  StoreOptions store_options;
  store_options.data_dir = options.data_dir;
  // Two days later, every window has ended, so that settling makes them all cold.
  store_options.now_ms = [] { return kStartMs + int64_t{48} * 60 * 60 * 1000; };
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(store_options));
  LOCKSTEP_RETURN_IF_ERROR(Bench(*store, fleet, options).Run());
  return store->Close();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Reads one metric over all ranks of a job for a day and reports the time.");
  app.add_option("--recording", options.recording, "OpenMetrics file to replay")->required();
  app.add_option("--data", options.data_dir, "an empty folder")->required();
  app.add_option("--metric", options.metric, "only this metric");
  app.add_option("--points", options.point_count, "samples per series, 15 s apart")
      ->check(CLI::Range(1, 11'000));
  app.add_option("--repeats", options.repeats, "scans of each metric; the fastest counts")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
