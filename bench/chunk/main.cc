// Measures the codec of chunk rows: for each recorded metric, rows of the 64 ranks of a job are
// written and read. Reports bytes per sample, and samples per CPU second in each direction, on one
// thread.
//
// Every row is read back first and compared bit by bit.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "bench/cpu_time.h"
#include "bench/replay/fleet.h"
#include "bench/replay/recording.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/chunk/chunk_row_reader.h"

namespace lockstep {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;

struct Options {
  std::string recording;
  size_t point_count = 480;
  double seconds = 0.2;
};

// The minimum CPU seconds of one call, over calls within about `seconds`.
double LeastSeconds(double seconds, const std::function<void()>& work) {
  const double begin = ThreadCpuSeconds();
  double least = 1e9;
  for (double now = begin; now == begin || now - begin < seconds;) {
    work();
    const double end = ThreadCpuSeconds();
    least = std::min(least, end - now);
    now = end;
  }
  return least;
}

using Block = std::vector<SampleColumns>;  // by index in the block

// One metric of the 64 ranks of the fleet's first job.
Block BlockOf(const replay::Fleet& fleet, size_t metric, size_t point_count) {
  const size_t metric_count = fleet.series_count() / kMaxRowSeries;
  Block block(kMaxRowSeries);
  for (size_t rank = 0; rank < block.size(); ++rank) {
    for (size_t point = 0; point < point_count; ++point) {
      const Sample sample = fleet.At(rank * metric_count + metric, point);
      block[rank].timestamps_ms.push_back(sample.timestamp_ms);
      block[rank].values.push_back(sample.value);
    }
  }
  return block;
}

std::string WriteRow(const Block& block, ChunkRowBuilder& builder) {
  for (uint32_t index = 0; index < block.size(); ++index) builder.Add(index, block[index]);
  return builder.Finish();
}

absl::Status ReadRow(std::string_view row, ChunkRowReader& reader, Block& block) {
  LOCKSTEP_RETURN_IF_ERROR(reader.Open(row));
  for (uint32_t index = 0; index < block.size(); ++index) {
    block[index].Clear();
    LOCKSTEP_RETURN_IF_ERROR(reader.Read(index, kAllTimes, block[index]));
  }
  return absl::OkStatus();
}

bool SameBits(const Block& a, const Block& b) {
  return std::ranges::equal(a, b, [](const SampleColumns& x, const SampleColumns& y) {
    return x.timestamps_ms == y.timestamps_ms &&
           std::ranges::equal(x.values, y.values, [](double v, double w) {
             return std::bit_cast<uint64_t>(v) == std::bit_cast<uint64_t>(w);
           });
  });
}

struct Costs {
  double bytes = 0;
  double write_seconds = 0;
  double read_seconds = 0;
};

void Print(const std::string& what, const Costs& costs, double sample_count) {
  std::printf("%-44s %8.2f %8.1f %8.0f\n", what.c_str(), costs.bytes / sample_count,
              sample_count / costs.write_seconds / 1e6, sample_count / costs.read_seconds / 1e6);
}

absl::StatusOr<Costs> Measure(const Block& block, double seconds) {
  ChunkRowBuilder builder;
  ChunkRowReader reader;
  const std::string row = WriteRow(block, builder);
  Block read(block.size());
  LOCKSTEP_RETURN_IF_ERROR(ReadRow(row, reader, read));
  if (!SameBits(read, block)) return absl::InternalError("a row read back differs");
  Costs costs;
  costs.bytes = static_cast<double>(row.size());
  costs.write_seconds = LeastSeconds(seconds, [&] { (void)WriteRow(block, builder); });
  costs.read_seconds = LeastSeconds(seconds, [&] { (void)ReadRow(row, reader, read); });
  return costs;
}

absl::Status Run(const Options& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<replay::RecordedGpu> recording,
                            replay::ReadRecording(options.recording));
  std::vector<std::string> names;
  for (const replay::RecordedMetric& metric : recording.front().metrics) {
    names.push_back(metric.name);
  }
  const replay::Fleet fleet(std::move(recording), {kMaxRowSeries, kStartMs, 15'000});
  const auto sample_count = static_cast<double>(kMaxRowSeries * options.point_count);
  std::printf("%u series x %zu samples; bytes per sample, M samples per CPU second\n\n",
              kMaxRowSeries, options.point_count);
  std::printf("%-44s %8s %8s %8s\n", "metric", "bytes", "written", "read");
  Costs all;
  for (size_t metric = 0; metric < names.size(); ++metric) {
    const Block block = BlockOf(fleet, metric, options.point_count);
    LOCKSTEP_ASSIGN_OR_RETURN(const Costs costs, Measure(block, options.seconds));
    Print(names[metric], costs, sample_count);
    all.bytes += costs.bytes;
    all.write_seconds += costs.write_seconds;
    all.read_seconds += costs.read_seconds;
  }
  Print("all", all, sample_count * static_cast<double>(names.size()));
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Writes and reads chunk rows of recorded metrics and reports the time.");
  app.add_option("--recording", options.recording, "OpenMetrics file to replay")->required();
  app.add_option("--points", options.point_count, "samples per series")->check(CLI::Range(1, 512));
  app.add_option("--seconds", options.seconds, "duration per metric and direction");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
