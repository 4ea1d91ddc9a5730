// Measures reading the newest samples of many series from memory: one metric over all GPUs, the
// last minutes, like the panels of a dashboard, from a head in which every GPU has all of its
// metrics.
//
// Every sample read is first compared with the one appended. Reports CPU times of the single
// reading thread.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "storage/db/head/head.h"

namespace lockstep {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr int64_t kStepMs = 15'000;

struct Options {
  std::string recording;
  uint32_t gpu_count = 1024;
  size_t point_count = 240;  // an hour of points 15 s apart
  int repeats = 9;
};

class Bench {
 public:
  Bench(const replay::Fleet& fleet, const Options& options) : fleet_(fleet), options_(options) {
    for (SeriesId id = 0; id < fleet.series_count(); ++id) head_.Open(id, kNoTimeMs);
    for (size_t point = 0; point < options.point_count; ++point) {
      for (SeriesId id = 0; id < fleet.series_count(); ++id) {
        head_.AppendNewest(id, fleet.At(id, point));
      }
    }
    head_.Commit();
    counts_ = head_.counts();
  }

  absl::Status Run() {
    std::printf("%u series of %zu, %zu samples each, %.2f bytes per sample\n\n%-24s %14s\n",
                options_.gpu_count, fleet_.series_count(), options_.point_count,
                static_cast<double>(head_.byte_count()) / static_cast<double>(head_.sample_count()),
                "the last", "us per series");
    for (const size_t window : {size_t{4}, size_t{20}, size_t{120}, options_.point_count}) {
      const size_t point_count = std::min(window, options_.point_count);
      LOCKSTEP_RETURN_IF_ERROR(Check(point_count));
      double least = 0;
      for (int i = 0; i < options_.repeats; ++i) {
        const double took = Read(point_count);
        least = i == 0 ? took : std::min(least, took);
      }
      std::printf("%-24zu %14.2f\n", point_count, least / options_.gpu_count * 1e6);
    }
    return absl::OkStatus();
  }

 private:
  TimeRange RangeOf(size_t point_count) const {
    const auto first = static_cast<int64_t>(options_.point_count - point_count);
    return {kStartMs + first * kStepMs,
            kStartMs + static_cast<int64_t>(options_.point_count) * kStepMs};
  }

  // Consecutive series of one metric are as far apart as a GPU has metrics.
  SeriesId IdOf(size_t gpu) const {
    return static_cast<SeriesId>(gpu * (fleet_.series_count() / options_.gpu_count));
  }

  // Calls `visit(id, samples)` for each series of the metric.
  template <typename Visit>
  void ForEach(TimeRange range, Visit&& visit) {
    std::vector<SeriesId> ids;
    for (size_t begin = 0; begin < options_.gpu_count; begin += ids.size()) {
      ids.clear();
      const size_t end = std::min<size_t>(options_.gpu_count, begin + Head::kMaxPrefetched);
      for (size_t gpu = begin; gpu < end; ++gpu) ids.push_back(IdOf(gpu));
      head_.PrefetchAll(ids, range.min_ms);
      for (const SeriesId id : ids) {
        head_.Read(id, range, *counts_, columns_);
        visit(id, columns_);
      }
    }
  }

  absl::Status Check(size_t point_count) {
    bool is_same = true;
    ForEach(RangeOf(point_count), [&](SeriesId id, const SampleColumns& columns) {
      is_same = is_same && columns.values.size() == point_count;
      for (size_t i = 0; is_same && i < point_count; ++i) {
        const Sample written = fleet_.At(id, options_.point_count - point_count + i);
        is_same =
            columns.timestamps_ms[i] == written.timestamp_ms &&
            std::bit_cast<uint64_t>(columns.values[i]) == std::bit_cast<uint64_t>(written.value);
      }
    });
    if (is_same) return absl::OkStatus();
    return absl::InternalError("the samples read differ from those appended");
  }

  double Read(size_t point_count) {
    size_t sample_count = 0;
    const double begin = ThreadCpuSeconds();
    ForEach(RangeOf(point_count), [&](SeriesId /*id*/, const SampleColumns& columns) {
      sample_count += columns.values.size();
    });
    const double took = ThreadCpuSeconds() - begin;
    LOCKSTEP_CHECK(sample_count == point_count * options_.gpu_count);
    return took;
  }

  const replay::Fleet& fleet_;
  const Options options_;
  Head head_;
  std::shared_ptr<const ArrivalCounts> counts_;
  SampleColumns columns_;
};

absl::Status Run(const Options& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<replay::RecordedGpu> recording,
                            replay::ReadRecording(options.recording));
  const replay::Fleet fleet(std::move(recording), {options.gpu_count, kStartMs, kStepMs});
  return Bench(fleet, options).Run();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app(
      "Reads the newest samples of one metric over all GPUs from memory, and reports the time.");
  app.add_option("--recording", options.recording, "OpenMetrics file to replay")->required();
  app.add_option("--gpus", options.gpu_count, "GPUs")->check(CLI::Range(1, 100'000));
  app.add_option("--points", options.point_count, "samples per series, 15 s apart")
      ->check(CLI::Range(4, 11'000));
  app.add_option("--repeats", options.repeats, "reads of each span; the fastest counts")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
