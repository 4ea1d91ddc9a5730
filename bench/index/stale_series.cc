// Measures the memory of a series in a store: while it gets samples, and after it has become stale.
// Generations of series follow each other, as when jobs restart on other hosts; each is written,
// then sealed.
//
// Bytes are those allocated by malloc for the whole store, including RocksDB. Checks that stale
// series have left the head.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "base/status.h"
#include "bench/index/gpu_labels.h"
#include "storage/db/store.h"

namespace lockstep {
namespace {

constexpr size_t kSeriesPerRequest = 2000;
constexpr int64_t kHourMs = 3'600'000;

double HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double ResidentBytes() {
  malloc_trim(0);
  long pages = 0, resident_pages = 0;
  FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &pages, &resident_pages) != 2) resident_pages = 0;
  std::fclose(file);
  return static_cast<double>(resident_pages) * 4096;
}

absl::Status Write(Store& store, WriteRequest request) {
  std::promise<absl::Status> answer;
  store.Write(std::move(request),
              [&](absl::StatusOr<WriteOutcome> outcome) { answer.set_value(outcome.status()); });
  return answer.get_future().get();
}

class Bench {
 public:
  Bench(Store& store, std::atomic<int64_t>& now_ms, size_t series_count)
      : store_(store), now_ms_(now_ms), series_count_(series_count) {}

  absl::Status Run(size_t generation_count) {
    std::printf("%-12s %14s %14s %14s %12s\n", "generation", "B while live", "B once stale",
                "series known", "resident MB");
    for (size_t i = 0; i < generation_count; ++i) LOCKSTEP_RETURN_IF_ERROR(RunGeneration(i));
    LOCKSTEP_RETURN_IF_ERROR(TimeCardinality(generation_count * series_count_));
    const double before = HeapBytes();
    now_ms_ += 100 * 24 * kHourMs;
    LOCKSTEP_RETURN_IF_ERROR(store_.DropExpired());
    std::printf("dropped by retention: %.1f B given back for each of %zu\n",
                (before - HeapBytes()) / static_cast<double>(generation_count * series_count_),
                generation_count * series_count_);
    return absl::OkStatus();
  }

 private:
  absl::Status RunGeneration(size_t number) {
    const auto each = [this](double bytes) { return bytes / static_cast<double>(series_count_); };
    const double before = HeapBytes();
    for (int64_t sample = 0; sample < 8; ++sample) {
      LOCKSTEP_RETURN_IF_ERROR(WriteOnce(number, now_ms_ + sample * 15'000));
    }
    const double live = HeapBytes();
    if (store_.stats().head_series_count != series_count_) {
      return absl::InternalError("the series in memory are not those of the generation");
    }
    LOCKSTEP_RETURN_IF_ERROR(store_.Seal());
    if (store_.stats().head_series_count != 0) {
      return absl::InternalError("series that were sealed are still in the head");
    }
    std::printf("%-12zu %14.1f %14.1f %14lu %12.1f\n", number, each(live - before),
                each(HeapBytes() - before), store_.stats().series_count, ResidentBytes() / 1e6);
    now_ms_ += kHourMs;
    return absl::OkStatus();
  }

  absl::Status TimeCardinality(size_t known_count) {
    const auto start = std::chrono::steady_clock::now();
    LOCKSTEP_ASSIGN_OR_RETURN(const CardinalityStats all, store_.Cardinality({}));
    const auto counted = std::chrono::steady_clock::now();
    const std::vector<std::vector<Matcher>> job = {{Matcher::Equal("job", JobName(0))}};
    LOCKSTEP_ASSIGN_OR_RETURN(const CardinalityStats one,
                              store_.Cardinality({.matcher_sets = job}));
    const auto selected = std::chrono::steady_clock::now();
    if (all.series_count != known_count || one.series_count == 0) {
      return absl::InternalError("a wrong count of series");
    }
    const auto ms = [](auto span) {
      return std::chrono::duration<double, std::milli>(span).count();
    };
    std::printf("cardinality of %lu series %.1f ms, of one job with %lu %.1f ms\n",
                all.series_count, ms(counted - start), one.series_count, ms(selected - counted));
    return absl::OkStatus();
  }

  absl::Status WriteOnce(size_t number, int64_t time_ms) {
    for (size_t begin = 0; begin < series_count_; begin += kSeriesPerRequest) {
      WriteRequest request;
      for (size_t i = begin; i < std::min(series_count_, begin + kSeriesPerRequest); ++i) {
        const size_t gpu = (number * series_count_ + i) / kMetricsPerTarget;
        request.series.push_back(
            {LabelsOfGpu(gpu, i % kMetricsPerTarget), {{time_ms, static_cast<double>(i)}}, {}});
      }
      LOCKSTEP_RETURN_IF_ERROR(Write(store_, std::move(request)));
    }
    return absl::OkStatus();
  }

  Store& store_;
  std::atomic<int64_t>& now_ms_;
  const size_t series_count_;
};

absl::Status Run(const std::string& data_dir, size_t series_count, size_t generation_count) {
  std::atomic<int64_t> now_ms = SystemTimeMs();
  StoreOptions options;
  options.data_dir = data_dir;
  options.shard_count = 1;
  options.block_cache_bytes = size_t{8} << 20;
  options.head_bytes = size_t{4} << 30;  // sealed explicitly
  options.head_age_ms = 1000 * kHourMs;
  options.now_ms = [&now_ms] { return now_ms.load(); };
  options.monotonic_ms = options.now_ms;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(options));
  const size_t whole_targets = std::max<size_t>(1, series_count / kMetricsPerTarget);
  LOCKSTEP_RETURN_IF_ERROR(
      Bench(*store, now_ms, whole_targets * kMetricsPerTarget).Run(generation_count));
  return store->Close();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  std::string data_dir;
  std::vector<size_t> series_counts = {100'000};
  size_t generation_count = 5;
  CLI::App app("Measures the memory of live and stale series in a store.");
  app.add_option("--data", data_dir, "an empty folder")->required();
  app.add_option("--series", series_counts, "series per generation, one or several numbers");
  app.add_option("--generations", generation_count, "number of generations");
  CLI11_PARSE(app, argc, argv);
  absl::Status status;
  for (const size_t series_count : series_counts) {
    if (!status.ok()) break;
    const std::string folder = absl::StrFormat("%s/%d", data_dir, series_count);
    status = lockstep::Run(folder, series_count, generation_count);
  }
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
