// Measures the store's ingestion by itself: a replayed fleet written directly, without HTTP or
// protobuf. Reports samples per CPU second of the store, bytes per sample on disk after sealing,
// after merging and after closing, the process's peak memory, and the time to read one metric over
// the whole fleet.
//
// The written samples are first read back and compared with the fleet.
#include <sys/resource.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "storage/db/store.h"
#include "storage/kv/files/env.h"

namespace lockstep {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;

struct Options {
  std::string recording;
  std::string data_dir;
  uint32_t gpu_count = 1024;
  size_t point_count = 240;
  size_t batch_size = 2000;
  size_t head_megabytes = 0;  // 0: the store's default
};

// The megabytes that the process has written to disk; 0 if the system does not report it.
double WrittenMegabytes() {
  std::ifstream file("/proc/self/io");
  std::string name;
  double bytes = 0;
  while (file >> name >> bytes) {
    if (name == "write_bytes:") return bytes / (1 << 20);
  }
  return 0;
}

double PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

WriteRequest MakeRequest(const replay::Fleet& fleet, size_t point, size_t begin, size_t end) {
  WriteRequest request;
  request.series.reserve(end - begin);
  for (size_t series = begin; series < end; ++series) {
    request.series.push_back({fleet.Labels(series, 0), {fleet.At(series, point)}, {}});
  }
  return request;
}

using Answer = std::future<absl::StatusOr<WriteOutcome>>;

Answer Write(Store& store, WriteRequest request) {
  auto promise = std::make_shared<std::promise<absl::StatusOr<WriteOutcome>>>();
  Answer answer = promise->get_future();
  store.Write(std::move(request), [promise](absl::StatusOr<WriteOutcome> outcome) {
    promise->set_value(std::move(outcome));
  });
  return answer;
}

absl::Status Take(Answer& answer, size_t sample_count) {
  LOCKSTEP_ASSIGN_OR_RETURN(const WriteOutcome outcome, answer.get());
  if (outcome.written_count == sample_count) return absl::OkStatus();
  return absl::InternalError("not all samples of a request were new");
}

// Keeps two requests in flight, as from two connections. Returns the CPU seconds spent creating the
// requests.
absl::StatusOr<double> WriteFleet(Store& store, const replay::Fleet& fleet,
                                  const Options& options) {
  double making_seconds = 0;
  std::pair<Answer, size_t> before{};
  for (size_t point = 0; point < options.point_count; ++point) {
    for (size_t begin = 0; begin < fleet.series_count(); begin += options.batch_size) {
      const size_t end = std::min(fleet.series_count(), begin + options.batch_size);
      const double start = ThreadCpuSeconds();
      WriteRequest request = MakeRequest(fleet, point, begin, end);
      making_seconds += ThreadCpuSeconds() - start;
      std::pair<Answer, size_t> now{Write(store, std::move(request)), end - begin};
      if (before.first.valid()) LOCKSTEP_RETURN_IF_ERROR(Take(before.first, before.second));
      before = std::move(now);
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(Take(before.first, before.second));
  return making_seconds;
}

absl::Status CheckFleet(const Store& store, const replay::Fleet& fleet, size_t point_count) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Querier> querier, store.NewQuerier());
  SampleColumns columns;
  for (size_t series = 0; series < fleet.series_count();
       series += std::max<size_t>(1, fleet.series_count() / 97)) {
    std::vector<Matcher> matchers;
    for (const LabelView label : fleet.Labels(series, 0)) {
      matchers.push_back(Matcher::Equal(std::string(label.name), std::string(label.value)));
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<SeriesSet> set,
                              querier->Select({matchers, {INT64_MIN, INT64_MAX}, nullptr}));
    columns.Clear();
    if (set->Next()) LOCKSTEP_RETURN_IF_ERROR(set->Read(columns));
    bool is_equal = columns.size() == point_count;
    for (size_t point = 0; point < point_count && is_equal; ++point) {
      const Sample sample = fleet.At(series, point);
      is_equal =
          columns.timestamps_ms[point] == sample.timestamp_ms &&
          std::bit_cast<uint64_t>(columns.values[point]) == std::bit_cast<uint64_t>(sample.value);
    }
    if (!is_equal) {
      return absl::InternalError("read back different samples of " +
                                 fleet.Labels(series, 0).ToString());
    }
  }
  return absl::OkStatus();
}

// Milliseconds to read one metric of all GPUs over all time.
absl::StatusOr<double> ReadMetric(const Store& store, const replay::Fleet& fleet) {
  const auto start = std::chrono::steady_clock::now();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Querier> querier, store.NewQuerier());
  const std::vector<Matcher> matchers = {
      Matcher::Equal(std::string(kMetricName), std::string(fleet.Labels(0, 0).metric_name()))};
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<SeriesSet> set,
                            querier->Select({matchers, {INT64_MIN, INT64_MAX}, nullptr}));
  SampleColumns columns;
  while (set->Next()) {
    columns.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(columns));
  }
  LOCKSTEP_RETURN_IF_ERROR(set->status());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

absl::Status Settle(Store& store, const replay::Fleet& fleet, const Options& options,
                    double sample_count) {
  const StorageStats before = store.stats();
  const double start = ProcessCpuSeconds();
  LOCKSTEP_RETURN_IF_ERROR(store.Settle());
  const double settled = ProcessCpuSeconds() - start;
  LOCKSTEP_RETURN_IF_ERROR(CheckFleet(store, fleet, options.point_count));
  LOCKSTEP_ASSIGN_OR_RETURN(const double read_ms, ReadMetric(store, fleet));
  const StorageStats stats = store.stats();
  const auto per_sample = [sample_count](uint64_t bytes) {
    return static_cast<double>(bytes) / sample_count;
  };
  std::printf("runs, settled                %10llu  %llu\n",
              static_cast<unsigned long long>(before.run_count),
              static_cast<unsigned long long>(stats.run_count));
  std::printf("merged by the way: count, bytes read and written per sample  %llu  %.2f  %.2f\n",
              static_cast<unsigned long long>(before.merge_count),
              per_sample(before.merge_read_bytes), per_sample(before.merge_written_bytes));
  std::printf("M samples per CPU s, settling %9.3f\n", sample_count / settled / 1e6);
  std::printf("disk bytes per sample, settled %8.3f\n", per_sample(stats.disk_bytes));
  std::printf("given to the disk, bytes per sample  %.2f\n",
              per_sample(static_cast<uint64_t>(WrittenMegabytes() * (1 << 20))));
  std::printf("ms to read one metric, settled  %.1f\n", read_ms);
  return absl::OkStatus();
}

absl::Status Run(const Options& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<replay::RecordedGpu> recording,
                            replay::ReadRecording(options.recording));
  const replay::Fleet fleet(std::move(recording), {options.gpu_count, kStartMs, 15'000});
  const auto sample_count = static_cast<double>(fleet.series_count() * options.point_count);
  const double idle_megabytes = PeakMegabytes();

  StoreOptions store_options;
  store_options.data_dir = options.data_dir;
  if (options.head_megabytes != 0) store_options.head_bytes = options.head_megabytes << 20;
  store_options.now_ms = [] { return kStartMs + int64_t{24} * 60 * 60 * 1000; };
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(store_options));

  const double start = ProcessCpuSeconds();
  LOCKSTEP_ASSIGN_OR_RETURN(const double making_seconds, WriteFleet(*store, fleet, options));
  const double written = ProcessCpuSeconds() - start - making_seconds;
  const double peak_megabytes = PeakMegabytes();
  LOCKSTEP_ASSIGN_OR_RETURN(const double head_read_ms, ReadMetric(*store, fleet));
  LOCKSTEP_RETURN_IF_ERROR(store->Seal());
  const double sealed = ProcessCpuSeconds() - start - making_seconds;
  LOCKSTEP_RETURN_IF_ERROR(CheckFleet(*store, fleet, options.point_count));
  LOCKSTEP_ASSIGN_OR_RETURN(const double cold_read_ms, ReadMetric(*store, fleet));
  LOCKSTEP_ASSIGN_OR_RETURN(const double warm_read_ms, ReadMetric(*store, fleet));
  const StorageStats stats = store->stats();

  std::printf("series                       %10zu\n", fleet.series_count());
  std::printf("samples                      %10.0f\n", sample_count);
  std::printf("commits                      %10llu\n",
              static_cast<unsigned long long>(stats.commit_count));
  std::printf("journal bytes per sample     %10.2f\n",
              static_cast<double>(stats.commit_bytes) / sample_count);
  std::printf("chunk bytes per sample       %10.2f\n",
              static_cast<double>(stats.sealed_bytes) / sample_count);
  std::printf("disk bytes per sample        %10.2f\n",
              static_cast<double>(stats.disk_bytes) / sample_count);
  std::printf("M samples per CPU s, taken   %10.3f\n", sample_count / written / 1e6);
  std::printf("M samples per CPU s, sealed  %10.3f\n", sample_count / sealed / 1e6);
  std::printf("peak MB, with the fleet's    %10.1f  %.1f\n", peak_megabytes, idle_megabytes);
  std::printf("ms to read one metric: first, sealed, again  %.1f  %.1f  %.1f\n", head_read_ms,
              cold_read_ms, warm_read_ms);
  LOCKSTEP_RETURN_IF_ERROR(Settle(*store, fleet, options, sample_count));
  LOCKSTEP_RETURN_IF_ERROR(store->Close());
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t closed_bytes,
                            kv::Env::Default()->FolderBytes(options.data_dir));
  std::printf("disk bytes per sample, closed  %8.3f\n",
              static_cast<double>(closed_bytes) / sample_count);
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Writes a replayed fleet directly into the store and reports the cost.");
  app.add_option("--recording", options.recording, "OpenMetrics file to replay")->required();
  app.add_option("--data", options.data_dir, "an empty folder")->required();
  app.add_option("--gpus", options.gpu_count, "GPUs of the fleet");
  app.add_option("--points", options.point_count, "samples per series");
  app.add_option("--head-mb", options.head_megabytes, "memory for samples that are not sealed");
  app.add_option("--batch", options.batch_size, "series per request")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
