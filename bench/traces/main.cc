// Measures reading a profiler trace: megabytes of Chrome trace JSON per CPU second on one thread,
// up to the times of each step. The generated trace has the shape of PyTorch's: four fifths are
// host operators, flow arrows and calls that are discarded.
//
// First, the times of every step are compared with sums over the whole parsed document.
#include <simdjson.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "bench/cpu_time.h"
#include "import/traces/kineto/kineto_reader.h"
#include "import/traces/kineto_records.h"
#include "import/traces/profile/step_profile.h"

namespace lockstep {
namespace {

struct Options {
  size_t steps = 40;
  double seconds = 3;
};

constexpr size_t kKernelsPerStep = 1000;
constexpr int64_t kStepNs = 20'000'000;
constexpr size_t kPieceBytes = 1 << 20;

double Micros(int64_t time_ns) { return static_cast<double>(time_ns) / 1e3; }

void PutOperator(std::string& out, size_t id, int64_t begin_ns) {
  absl::StrAppendFormat(
      &out,
      "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::linear\", \"pid\": 856, "
      "\"tid\": 910,\n    \"ts\": %.3f, \"dur\": 3.210,\n    \"args\": {\n      \"External id\": "
      "%d,\"Record function id\": 0, \"Sequence number\": %d, \"Fwd thread id\": 1, \"Ev Idx\": "
      "%d\n"
      "    }\n  },\n",
      Micros(begin_ns), id, id, id);
}

void PutLaunch(std::string& out, size_t id, int64_t begin_ns) {
  absl::StrAppendFormat(
      &out,
      "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": "
      "856, \"tid\": 856,\n    \"ts\": %.3f, \"dur\": 2.500,\n    \"args\": {\n      \"External "
      "id\": %d, \"cbid\": 211, \"correlation\": %d\n    }\n  },\n"
      "  {\n    \"ph\": \"s\", \"id\": %d, \"pid\": 856, \"tid\": 856, \"ts\": %.3f,\n    \"cat\": "
      "\"ac2g\", \"name\": \"ac2g\"\n  },\n",
      Micros(begin_ns), id, id, id, Micros(begin_ns));
}

void PutKernel(std::string& out, size_t id, std::string_view name, int stream, int64_t begin_ns,
               int64_t length_ns) {
  absl::StrAppendFormat(
      &out,
      "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": %d,\n   "
      " "
      "\"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      \"External id\": %d,\n      "
      "\"queued\": "
      "0, \"device\": 0, \"context\": 1,\n      \"stream\": %d, \"correlation\": %d,\n      "
      "\"registers per thread\": 168,\n      \"shared memory\": 213204,\n      \"blocks per SM\": "
      "1.0,\n      \"warps per SM\": 12.0,\n      \"grid\": [2, 66, 1],\n      \"block\": [384, 1, "
      "1],\n      \"est. achieved occupancy %%\": 0\n    }\n  },\n",
      name, stream, Micros(begin_ns), Micros(length_ns), id, stream, id);
}

void PutStep(std::string& out, size_t step) {
  const int64_t begin_ns = static_cast<int64_t>(step) * kStepNs;
  absl::StrAppendFormat(&out,
                        "  {\n    \"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
                        "\"ProfilerStep#%d\", \"pid\": "
                        "856, \"tid\": 856,\n    \"ts\": %.3f, \"dur\": %.3f\n  },\n",
                        step, Micros(begin_ns), Micros(kStepNs));
  constexpr std::string_view kNames[] = {
      "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN",
      "void at::native::vectorized_elementwise_kernel<8, "
      "at::native::CUDAFunctor_add<c10::BFloat16>, "
      "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
      "3ul>)",
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"};
  for (size_t i = 0; i < kKernelsPerStep; ++i) {
    const size_t id = step * kKernelsPerStep + i + 1;
    const int64_t at_ns =
        begin_ns + static_cast<int64_t>(i) * kStepNs / static_cast<int64_t>(kKernelsPerStep);
    for (int depth = 0; depth < 5; ++depth) PutOperator(out, id, at_ns);
    PutLaunch(out, id, at_ns);
    const bool is_collective = i % 10 == 9;
    PutKernel(out, id, kNames[is_collective ? 2 : i % 2], is_collective ? 20 : 7, at_ns,
              is_collective ? 30'000 : 15'000);
  }
}

std::string MakeTrace(const Options& options) {
  std::string out =
      "{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 3, "
      "\"world_size\": 8},\n"
      "  \"baseTimeNanoseconds\": 1700000000000000000,\n  \"traceEvents\": [\n";
  for (size_t step = 0; step < options.steps; ++step) PutStep(out, step);
  out +=
      "  {\n    \"name\": \"end\", \"ph\": \"i\", \"ts\": 0\n  }\n  ],\n  \"traceName\": "
      "\"bench.json\"\n}\n";
  return out;
}

struct Totals {
  double kernel_seconds = 0;
  double collective_seconds = 0;
  size_t kernels = 0;
};

// From the whole document at once.
absl::StatusOr<Totals> PlainTotals(const std::string& trace) {
  simdjson::dom::parser parser;
  simdjson::dom::array events;
  if (parser.parse(trace)["traceEvents"].get(events) != simdjson::SUCCESS) {
    return absl::InternalError("the trace is not JSON");
  }
  Totals totals;
  for (const simdjson::dom::element event : events) {
    std::string_view category;
    if (event["cat"].get(category) != simdjson::SUCCESS || category != "kernel") continue;
    std::string_view name;
    double micros = 0;
    if (event["name"].get(name) != simdjson::SUCCESS ||
        event["dur"].get(micros) != simdjson::SUCCESS) {
      return absl::InternalError("a kernel without a name or a time");
    }
    ++totals.kernels;
    (name.starts_with("nccl") ? totals.collective_seconds : totals.kernel_seconds) += micros / 1e6;
  }
  return totals;
}

traces::TraceProfile ReadTrace(std::string_view trace, std::vector<traces::TraceRecord>& records) {
  traces::KinetoReader reader;
  for (size_t at = 0; at < trace.size(); at += kPieceBytes)
    reader.Feed(trace.substr(at, kPieceBytes));
  reader.Finish();
  traces::TraceProfile profile = traces::ProfileOf(reader.trace());
  if (reader.problems().all().empty()) traces::AppendRecords(reader.trace(), profile, records);
  return profile;
}

// Kernels of one stream do not overlap here, so their lengths add up.
absl::Status Check(const std::string& trace, const Options& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Totals plain, PlainTotals(trace));
  std::vector<traces::TraceRecord> records;
  const traces::TraceProfile profile = ReadTrace(trace, records);
  Totals read;
  for (const traces::DeviceStep& step : profile.device_steps) {
    read.kernel_seconds += step.compute_seconds;
    for (const traces::CollectiveTime& time : step.collectives)
      read.collective_seconds += time.seconds;
    for (const traces::ClassTime& time : step.classes) read.kernels += time.count;
  }
  const bool is_right = !records.empty() && profile.device_steps.size() == options.steps &&
                        read.kernels == plain.kernels &&
                        std::abs(read.kernel_seconds - plain.kernel_seconds) < 1e-6 &&
                        std::abs(read.collective_seconds - plain.collective_seconds) < 1e-6;
  return is_right ? absl::OkStatus()
                  : absl::InternalError("reading the trace gave different times");
}

absl::Status Run(const Options& options) {
  const std::string trace = MakeTrace(options);
  LOCKSTEP_RETURN_IF_ERROR(Check(trace, options));
  std::vector<double> rates;
  const double begin = ThreadCpuSeconds();
  do {
    std::vector<traces::TraceRecord> records;
    const double before = ThreadCpuSeconds();
    ReadTrace(trace, records);
    rates.push_back(static_cast<double>(trace.size()) / 1e6 / (ThreadCpuSeconds() - before));
  } while (ThreadCpuSeconds() - begin < options.seconds);
  std::sort(rates.begin(), rates.end());
  std::printf("%.1f MB of trace, %zu runs: %.0f MB/s (%.0f to %.0f)\n",
              static_cast<double>(trace.size()) / 1e6, rates.size(), rates[rates.size() / 2],
              rates.front(), rates.back());
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::Options options;
  CLI::App app("Reads a profiler trace and reports megabytes per CPU second.");
  app.add_option("--steps", options.steps, "steps in the trace, 2.5 MB each")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "duration of the measurement");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::Run(options);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
