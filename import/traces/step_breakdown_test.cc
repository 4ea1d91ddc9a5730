// A handmade step with handmade sums.
//
//   ms        0  10        60     90  100  120       200 212        300 330      400
//   gemm a       |---------|                                        |---|
//   collective        |40-------------|
//   gemm b                        |--------|
//   another                        |95-105|
//   copies                                           |--|
//   host      launches                     |data 70|    |data 10|wait 35|

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "import/traces/kineto_records.h"
#include "import/traces/profile/step_profile.h"
#include "import/traces/records/traces_testing.h"

namespace lockstep::traces {
namespace {

Interval Ms(int64_t begin, int64_t end) { return {begin * 1'000'000, end * 1'000'000}; }

KinetoTrace StepByHand() {
  KinetoTrace trace;
  trace.header.rank = 3;
  trace.header.base_time_ns = 1'790'000'000'000'000'000;
  trace.devices = {0};
  trace.host_steps = {{7, Ms(0, 400), 0}};
  trace.kernel_names = {"a", "nccl", "b"};
  trace.collective_kinds = {{"all_reduce", "dp"}, {"all_gather", "tp"}};
  trace.device_events = {{Ms(10, 60), 1, 0, 0, KernelClass::kGemm},
                         {Ms(40, 100), 2, 1, 0, KernelClass::kCommunication},
                         {Ms(90, 120), 3, 2, 0, KernelClass::kGemm},
                         {Ms(95, 105), 4, 1, 0, KernelClass::kCommunication},
                         {Ms(200, 210), 5, kNoKernel, 0, KernelClass::kMemcpy},
                         {Ms(210, 212), 6, kNoKernel, 0, KernelClass::kMemcpy},
                         {Ms(300, 330), 7, 0, 0, KernelClass::kGemm}};
  trace.collective_calls = {{Ms(40, 100), 0, 0, 64}, {Ms(95, 105), 1, 0, 32}};
  trace.copy_calls = {{Ms(200, 210), 5, 1000, {"h2d", "pageable"}, 0},
                      {Ms(210, 212), 6, 10, {"d2h", "pinned"}, 0}};
  trace.launches = {{Ms(5, 6), 1},     {Ms(6, 7), 2},     {Ms(7, 8), 3},    {Ms(8, 9), 4},
                    {Ms(195, 211), 5}, {Ms(205, 206), 6}, {Ms(290, 299), 7}};
  trace.blocking_copies = {5};
  trace.host_waits = {Ms(225, 260)};
  trace.host_phases = {{"data", Ms(120, 190), 0}, {"data", Ms(215, 225), 0}};
  return trace;
}

// One "{label=value,...} value" per line.
std::string RowsOf(std::string_view metric) {
  const KinetoTrace trace = StepByHand();
  std::vector<TraceRecord> records;
  AppendRecords(trace, ProfileOf(trace), records);
  std::string rows;
  for (const TraceRecord& record : WithMetric(records, metric)) {
    EXPECT_EQ(record.rank, 3);
    rows += rows.empty() ? "" : "; ";
    for (const TraceLabel& label : record.labels) {
      absl::StrAppendFormat(&rows, "%s=%s ", label.name, label.value);
    }
    absl::StrAppendFormat(&rows, "%.6g", record.value);
  }
  return rows;
}

TEST(StepBreakdownTest, IsWhatTheHandSays) {
  struct BreakdownRow {
    const char* metric;
    const char* expected;
  };
  for (const BreakdownRow& row : {
           BreakdownRow{"train_gpu_busy_seconds", "0.152"},
           BreakdownRow{"train_gpu_busy_ratio", "0.38"},
           BreakdownRow{"train_gpu_idle_seconds", "0.248"},
           BreakdownRow{"train_gpu_idle_unlaunched_seconds", "0.158"},
           BreakdownRow{"train_gpu_long_gaps",
                        "at_least=0.001 4; at_least=0.01 4; at_least=0.05 3; at_least=0.5 0"},
           BreakdownRow{
               "train_gpu_long_gap_seconds",
               "at_least=0.001 0.248; at_least=0.01 0.248; at_least=0.05 0.238; at_least=0.5 0"},
           BreakdownRow{"train_gpu_idle_host_seconds",
                        "host=launch 0.018; host=other 0.115; host=data 0.08; host=wait 0.035"},
           BreakdownRow{"train_gpu_gap_length_seconds",
                        "host=data before=memcpy 0.08; host=wait before=gemm 0.088"},
           BreakdownRow{"train_compute_seconds", "0.11"},
           BreakdownRow{"train_comm_seconds", "0.065"},
           BreakdownRow{"train_comm_exposed_seconds", "0.03"},
           BreakdownRow{"train_comm_hidden_seconds", "0.035"},
           BreakdownRow{"train_compute_only_seconds", "0.075"},
           BreakdownRow{"train_collective_overlap_seconds",
                        "collective=all_reduce group=dp with=compute 0.03; "
                        "collective=all_reduce group=dp with=communication 0.005; "
                        "collective=all_gather group=tp with=compute 0.01; "
                        "collective=all_gather group=tp with=communication 0.005"},
           BreakdownRow{"train_top_kernel_seconds",
                        "kernel=a class=gemm 0.08; kernel=nccl class=communication 0.07; "
                        "kernel=b class=gemm 0.03"},
           BreakdownRow{"train_top_kernels",
                        "kernel=a class=gemm 2; kernel=nccl class=communication 2; "
                        "kernel=b class=gemm 1"},
           BreakdownRow{"train_copy_call_seconds",
                        "direction=h2d call=sync memory=pageable 0.01; "
                        "direction=d2h call=async memory=pinned 0.002"},
           BreakdownRow{"train_copy_bytes",
                        "direction=h2d call=sync memory=pageable 1000; "
                        "direction=d2h call=async memory=pinned 10"},
           BreakdownRow{"train_data_slow_loads", "1"},
           BreakdownRow{"train_data_slow_seconds", "0.07"},
           BreakdownRow{"train_data_longest_seconds", "0.07"},
       }) {
    EXPECT_EQ(RowsOf(row.metric), row.expected) << row.metric;
  }
}

// Thirty bins of 13.3 ms: the first has a kernel in its last 3.3 ms.
TEST(StepBreakdownTest, UtilizationHasBinsOfEqualLength) {
  const KinetoTrace trace = StepByHand();
  std::vector<TraceRecord> records;
  AppendRecords(trace, ProfileOf(trace), records);
  const auto bins = WithMetric(records, "train_gpu_utilization_ratio");
  ASSERT_EQ(bins.size(), 30u);
  double sum = 0;
  for (const TraceRecord& bin : bins) sum += bin.value;
  EXPECT_NEAR(bins[0].value, 0.25, 1e-6);
  EXPECT_EQ(bins[1].value, 1);
  EXPECT_EQ(bins[29].value, 0);
  EXPECT_NEAR(sum / 30, 0.38, 1e-6);
  EXPECT_EQ(bins[0].time_ms, 1'790'000'000'013);
  EXPECT_EQ(bins[0].step, std::nullopt);
}

TEST(StepBreakdownTest, OnlyTheKernelsThatTakeMostAreNamed) {
  KinetoTrace trace;
  trace.devices = {0};
  for (uint32_t i = 0; i < 50; ++i) {
    trace.kernel_names.push_back(std::to_string(i));
    trace.device_events.push_back({Ms(i * 100, i * 100 + i + 1), 0, i, 0, KernelClass::kGemm});
  }
  const TraceProfile profile = ProfileOf(trace);
  ASSERT_EQ(profile.device_steps.size(), 1u);
  const std::vector<KernelTime>& kernels = profile.device_steps[0].kernels;
  ASSERT_EQ(kernels.size(), 20u);
  EXPECT_EQ(kernels.front().kernel, 49u);
  EXPECT_EQ(kernels.back().kernel, 30u);
}

}  // namespace
}  // namespace lockstep::traces
