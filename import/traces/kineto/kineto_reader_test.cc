#include "import/traces/kineto/kineto_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_format.h"
#include "import/traces/kineto_records.h"
#include "import/traces/profile/step_profile.h"
#include "import/traces/records/trace_limits.h"
#include "import/traces/records/traces_testing.h"

namespace lockstep::traces {
namespace {

std::string Uncompress(const std::string& gzip) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string text(16 << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

struct ReadTrace {
  KinetoTrace trace;
  TraceProfile profile;
  std::vector<TraceRecord> records;
  std::string problems;
  uint64_t event_count = 0;
};

ReadTrace ReadKineto(std::string_view file, size_t piece_bytes = 64 << 10) {
  KinetoReader reader;
  for (size_t at = 0; at < file.size(); at += piece_bytes)
    reader.Feed(file.substr(at, piece_bytes));
  reader.Finish();
  ReadTrace read{reader.trace(),
                 ProfileOf(reader.trace()),
                 {},
                 reader.problems().ToString(),
                 reader.event_count()};
  AppendRecords(read.trace, read.profile, read.records);
  return read;
}

std::string RankFile(int rank) {
  return ReadTestFile("kineto/rank" + std::to_string(rank) + ".pt.trace.json");
}

double OneValue(const ReadTrace& read, std::string_view metric, int64_t step) {
  double value = -1;
  for (const TraceRecord& record : WithMetric(read.records, metric)) {
    if (record.step == step) value = record.value;
  }
  EXPECT_NE(value, -1) << metric;
  return value;
}

TEST(KinetoReaderTest, FindsTheSlowRank) {
  std::map<int, ReadTrace> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks[rank] = ReadKineto(RankFile(rank));
    const ReadTrace& read = ranks[rank];
    EXPECT_EQ(read.problems, "");
    EXPECT_EQ(read.trace.header.rank, rank);
    EXPECT_EQ(read.trace.header.world_size, 4);
    EXPECT_EQ(read.trace.header.nccl_version, "2.27.3");
    EXPECT_EQ(read.trace.header.device_name, "NVIDIA H100 80GB HBM3");
    ASSERT_EQ(read.profile.host_steps.size(), 3u);
    ASSERT_EQ(read.profile.device_steps.size(), 3u);
    EXPECT_EQ(read.profile.host_steps[0].step, 10);
    for (const TraceRecord& record : read.records) EXPECT_EQ(record.rank, rank);
  }
  for (int64_t step = 10; step < 13; ++step) {
    const double slow_compute = OneValue(ranks[2], "train_compute_seconds", step);
    const double slow_comm = OneValue(ranks[2], "train_comm_seconds", step);
    for (const int rank : {0, 1, 3}) {
      EXPECT_NEAR(slow_compute / OneValue(ranks[rank], "train_compute_seconds", step), 1.18, 1e-4);
      EXPECT_LT(slow_comm, OneValue(ranks[rank], "train_comm_seconds", step));
      EXPECT_EQ(OneValue(ranks[rank], "train_step_time_seconds", step), 0.768);
    }
  }
}

TEST(KinetoReaderTest, SumsUpAStep) {
  const ReadTrace read = ReadKineto(RankFile(2));
  const DeviceStep& step = read.profile.device_steps[0];
  // Four attention kernels and eight GEMM kernels, 57820 us each and 30 us apart; then 56800 us of
  // all-reduce.
  EXPECT_EQ(step.classes[static_cast<size_t>(KernelClass::kAttention)].count, 4u);
  EXPECT_EQ(step.classes[static_cast<size_t>(KernelClass::kGemm)].count, 8u);
  EXPECT_NEAR(step.compute_seconds, 12 * 0.05782, 1e-9);
  EXPECT_NEAR(step.communication_seconds, 0.0568, 1e-9);
  EXPECT_NEAR(step.exposed_communication_seconds, 0.0568, 1e-9);
  EXPECT_NEAR(step.copy_seconds, 0.00021, 1e-9);
  // The copy begins 2000 us before the first kernel, and ends before it.
  EXPECT_NEAR(step.busy_seconds, 12 * 0.05782 + 0.0568 + 0.00021, 1e-9);
  EXPECT_NEAR(step.busy_seconds + step.idle_seconds, 0.768, 1e-9);
  ASSERT_EQ(step.collectives.size(), 1u);
  EXPECT_EQ(step.collectives[0].bytes, 2.0 * 67108864);
  const auto data = WithMetric(read.records, "train_data_seconds");
  ASSERT_EQ(data.size(), 3u);
  EXPECT_NEAR(data[0].value, 0.062, 1e-9);
  EXPECT_NEAR(data[1].value, 0.0031, 1e-9);
  // The end of step 10: base time plus a begin of one second plus 768 ms.
  EXPECT_EQ(WithMetric(read.records, "train_step_time_seconds")[0].time_ms, 1'772'442'931'768);
}

// 807 fills of 150660 bytes, and 7 copies to pinned memory; all asynchronous.
void CheckCopies(const DeviceStep& step) {
  ASSERT_EQ(step.copies.size(), 2u);
  for (const CopyTime& time : step.copies) {
    EXPECT_EQ(time.call, "async");
    const bool is_fill = time.kind == CopyKind{"memset", "device"};
    EXPECT_EQ(time.count, is_fill ? 807u : 7u);
    if (is_fill) {
      EXPECT_EQ(time.bytes, 150660);
    } else {
      EXPECT_EQ(time.kind, (CopyKind{"d2h", "pinned"}));
    }
  }
}

struct ExpectedBins {
  double lowest, first, last;
};

void CheckUtilization(const DeviceOverview& overview, const ExpectedBins& expected) {
  ASSERT_EQ(overview.utilization.size(), 30u);
  double lowest = 1;
  for (const UtilizationBin& bin : overview.utilization) lowest = std::min(lowest, bin.busy_ratio);
  EXPECT_NEAR(lowest, expected.lowest, 1e-9);
  EXPECT_NEAR(overview.utilization.front().busy_ratio, expected.first, 1e-9);
  EXPECT_NEAR(overview.utilization.back().busy_ratio, expected.last, 1e-9);
}

// Traces of PyTorch 2.11 on H200s, three steps without ProfilerStep ranges. Expected values: the
// same sums, computed with plain loops over the parsed document.
TEST(KinetoReaderTest, ReadsRealTraces) {
  struct RealRow {
    const char* file;
    int32_t rank;
    uint64_t events;
    double window_ns, busy_ns, compute_ns, communication_ns, longest_ns, unlaunched_ns, launch_us;
    double top_kernel_us, second_kernel_us, lowest_bin, first_bin, last_bin;
  };
  for (const RealRow& row : {
           RealRow{"kineto/h200_rank0.json.gz", 0, 38209, 599602257, 589133182, 556846003, 31491080,
                   490113, 3730535, 76615.423, 110492.74, 90222.123, 0.915143694512277,
                   0.9436854662798703, 0.9765702672586791},
           RealRow{"kineto/h200_rank2.json.gz", 2, 38228, 605769874, 595167704, 560123422, 34247670,
                   463073, 3512282, 80122.142, 111150.576, 90882.43, 0.910067630138158,
                   0.9396015684966306, 0.9679133100495738},
       }) {
    const ReadTrace read = ReadKineto(Uncompress(ReadTestFile(row.file)));
    EXPECT_EQ(read.problems, "");
    EXPECT_EQ(read.event_count, row.events);
    EXPECT_EQ(read.trace.header.rank, row.rank);
    ASSERT_EQ(read.profile.device_steps.size(), 1u);
    const DeviceStep& step = read.profile.device_steps[0];
    EXPECT_EQ(step.step, std::nullopt);
    EXPECT_EQ(static_cast<double>(step.window.length_ns()), row.window_ns);
    EXPECT_NEAR(step.busy_seconds * 1e9, row.busy_ns, 1);
    EXPECT_NEAR(step.idle_seconds * 1e9, row.window_ns - row.busy_ns, 1);
    EXPECT_NEAR(step.compute_seconds * 1e9, row.compute_ns, 1);
    EXPECT_NEAR(step.communication_seconds * 1e9, row.communication_ns, 1);
    EXPECT_NEAR(step.exposed_communication_seconds * 1e9, row.communication_ns, 1);
    EXPECT_NEAR(step.longest_idle_seconds * 1e9, row.longest_ns, 1);
    EXPECT_NEAR(step.unlaunched_seconds * 1e9, row.unlaunched_ns, 1);
    EXPECT_EQ(step.gaps, 3928u);
    ASSERT_EQ(read.profile.host_steps.size(), 1u);
    EXPECT_EQ(read.profile.host_steps[0].launches, 3929u);
    EXPECT_NEAR(read.profile.host_steps[0].launch_seconds * 1e6, row.launch_us, 1e-3);
    ASSERT_EQ(step.collectives.size(), 1u);
    EXPECT_EQ(step.collectives[0].count, 4u);
    EXPECT_EQ(step.collectives[0].bytes, 3 * 2.0 * 953223168 + 4);
    EXPECT_EQ(step.long_gaps[0].count, 0u);
    ASSERT_EQ(step.kernels.size(), 20u);
    EXPECT_NEAR(step.kernels[0].seconds * 1e6, row.top_kernel_us, 1e-3);
    EXPECT_EQ(step.kernels[0].count, 240u);
    EXPECT_EQ(read.trace.kernel_names[step.kernels[0].kernel],
              "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN");
    EXPECT_NEAR(step.kernels[1].seconds * 1e6, row.second_kernel_us, 1e-3);
    CheckCopies(step);
    CheckUtilization(read.profile.devices[0], {row.lowest_bin, row.first_bin, row.last_bin});
    EXPECT_TRUE(WithMetric(read.records, "train_step_time_seconds").empty());
    // Recorded in November 2026, while the job ran.
    EXPECT_EQ(read.records[0].time_ms.value_or(0) / 1000, 1795242048);
  }
}

std::string DescribeAll(const ReadTrace& read) {
  std::string text = read.problems;
  for (const TraceRecord& record : read.records) {
    text += "\n" + record.metric + " " + std::to_string(record.value) + " " +
            std::to_string(record.step.value_or(-1));
    for (const TraceLabel& label : record.labels) text += " " + label.name + "=" + label.value;
  }
  return text;
}

TEST(KinetoReaderTest, PiecesOfAnySizeGiveTheSame) {
  const std::string file = RankFile(1);
  const std::string whole = DescribeAll(ReadKineto(file, file.size()));
  for (const size_t piece_bytes : {1, 3, 64, 1000, 4097}) {
    EXPECT_EQ(DescribeAll(ReadKineto(file, piece_bytes)), whole) << piece_bytes;
  }
}

TEST(KinetoReaderTest, PiecesOfAnySizeGiveTheSameProblems) {
  // The first event has balanced braces and quotes, but is not JSON; an extra brace follows it.
  const std::string_view file = "[\n{\"ph\":\"X\",\"pid\":\"a\":1}},\n{\"ph\":\"X\"}\n]";
  for (size_t piece_bytes = 1; piece_bytes <= file.size(); ++piece_bytes) {
    EXPECT_EQ(ReadKineto(file, piece_bytes).problems,
              "1 x unreadable event (first at byte 2), 1 x damage between events (first at byte "
              "24)")
        << piece_bytes;
  }
}

TEST(KinetoReaderTest, ReadsWhatIsWholeOfATornTrace) {
  const std::string file = RankFile(1);
  const size_t all = ReadKineto(file).trace.device_events.size();
  size_t last = 0;
  const size_t end = file.rfind('}');
  for (size_t size = 1; size <= end; ++size) {
    const ReadTrace read = ReadKineto(std::string_view(file).substr(0, size));
    EXPECT_NE(read.problems, "");
    EXPECT_GE(read.trace.device_events.size(), last);
    last = read.trace.device_events.size();
  }
  EXPECT_EQ(last, all);
}

TEST(KinetoReaderTest, CountsBrokenEventsAndGoesOn) {
  const ReadTrace read = ReadKineto(
      "{\"traceEvents\": [\n"
      R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":1,"args":{"device":0}},)"
      "\n"
      R"({"ph":"X","cat":"kernel","name":"b","ts":"x","dur":1},)"
      "\n"
      R"({"ph":"X","cat":"kernel","name":"c,"ts":3,"dur":1},)"
      "\n"
      R"({"ph":"X","cat":"kernel","name":"d","ts":5,"dur":1}],)"
      "\n"
      R"("distributedInfo": 7})");
  EXPECT_EQ(read.trace.device_events.size(), 2u);
  EXPECT_EQ(read.problems,
            "1 x unreadable event (first at byte 91), 1 x damaged event (first at byte 146), 1 x "
            "unreadable "
            "member of the document (first at byte 271)");
}

// Events of a document, one per line, each begun a microsecond after the one before.
class KinetoDocument {
 public:
  // `more` are further members of the event and of its arguments.
  void Add(std::string_view category, std::string_view name, std::string_view args = "") {
    absl::StrAppendFormat(&text_, R"(%s{"ph":"X","cat":"%s","name":"%s","ts":%d,"dur":1,)",
                          text_.empty() ? "" : ",\n", category, name, ++count_);
    absl::StrAppendFormat(&text_, R"("args":{%s}})", args);
  }
  ReadTrace Read() const { return ReadKineto("[" + text_ + "]"); }

 private:
  std::string text_;
  int count_ = 0;
};

TEST(KinetoReaderTest, LongNamesOfKernelsEndAtACharacter) {
  KinetoDocument document;
  const std::string longest(kMaxKernelNameBytes, 'k');
  document.Add("kernel", longest);
  document.Add("kernel", longest + "a");
  document.Add("kernel", longest + "b");
  const std::string before(kMaxKernelNameBytes - 1, 'k');
  document.Add("kernel", before + "\xc3\xa9");  // its second byte is the first beyond
  document.Add("kernel", before);
  const KinetoTrace trace = document.Read().trace;
  ASSERT_EQ(trace.kernel_names.size(), 2u);
  EXPECT_EQ(trace.kernel_names[0], longest);
  EXPECT_EQ(trace.kernel_names[1], before);
  EXPECT_EQ(trace.device_events[2].kernel, 0u);
  EXPECT_EQ(trace.device_events[3].kernel, 1u);
  EXPECT_EQ(trace.device_events[4].kernel, 1u);
}

TEST(KinetoReaderTest, CollectivesBeyondTheLimitAreOthers) {
  KinetoDocument document;
  for (size_t i = 0; i < kMaxCollectives + 2; ++i) {
    document.Add("kernel", "ncclDevKernel_AllReduce",
                 absl::StrFormat(R"("Process Group Description":"g%d")", i));
  }
  document.Add("kernel", "ncclDevKernel_AllReduce", R"("Process Group Description":"g0")");
  const KinetoTrace trace = document.Read().trace;
  ASSERT_EQ(trace.collective_kinds.size(), kMaxCollectives + 1);
  EXPECT_EQ(trace.collective_kinds[kMaxCollectives - 1].group,
            absl::StrFormat("g%d", kMaxCollectives - 1));
  EXPECT_EQ(trace.collective_kinds[kMaxCollectives].name, "other");
  EXPECT_EQ(trace.collective_kinds[kMaxCollectives].group, "");
  EXPECT_EQ(trace.collective_calls[kMaxCollectives - 1].kind, kMaxCollectives - 1);
  EXPECT_EQ(trace.collective_calls[kMaxCollectives].kind, kMaxCollectives);
  EXPECT_EQ(trace.collective_calls[kMaxCollectives + 1].kind, kMaxCollectives);
  EXPECT_EQ(trace.collective_calls.back().kind, 0u);
}

TEST(KinetoReaderTest, SomeDevicesAndStepsAreEnough) {
  KinetoDocument devices;
  for (size_t i = 0; i <= kMaxTraceDevices; ++i) {
    devices.Add("kernel", "gemm", absl::StrFormat(R"("device":%d)", i + 3));
  }
  const ReadTrace of_devices = devices.Read();
  ASSERT_EQ(of_devices.trace.devices.size(), kMaxTraceDevices);
  EXPECT_EQ(of_devices.trace.devices[0], 3);
  EXPECT_EQ(of_devices.trace.device_events.size(), kMaxTraceDevices);
  EXPECT_EQ(of_devices.trace.device_events.back().device, kMaxTraceDevices - 1);
  EXPECT_TRUE(of_devices.problems.starts_with("1 x more events than a trace may have"))
      << of_devices.problems;
  KinetoDocument steps;
  for (size_t i = 0; i <= kMaxProfiledSteps; ++i) {
    steps.Add("user_annotation", absl::StrFormat("ProfilerStep#%d", i));
  }
  const ReadTrace of_steps = steps.Read();
  EXPECT_EQ(of_steps.trace.host_steps.size(), kMaxProfiledSteps);
  EXPECT_TRUE(of_steps.problems.starts_with("1 x more events than a trace may have"));
}

TEST(KinetoReaderTest, FurtherNamesOfKernelsAreNotKept) {
  KinetoDocument document;
  for (size_t i = 0; i <= kMaxKernelNames; ++i) document.Add("kernel", absl::StrFormat("k%d", i));
  const KinetoTrace trace = document.Read().trace;
  EXPECT_EQ(trace.kernel_names.size(), kMaxKernelNames);
  EXPECT_EQ(trace.device_events[kMaxKernelNames - 1].kernel, kMaxKernelNames - 1);
  EXPECT_EQ(trace.device_events[kMaxKernelNames].kernel, kNoKernel);
}

TEST(KinetoReaderTest, TellsApartWhatTheHostDoes) {
  KinetoDocument document;
  document.Add("cuda_runtime", "cudaLaunchKernel", R"("correlation":11)");
  document.Add("cuda_runtime", "cudaMemcpy", R"("correlation":12)");
  document.Add("cuda_runtime", "cudaDeviceSynchronize");
  document.Add("user_annotation", "backward");
  document.Add("user_annotation", "what is this");
  document.Add("gpu_user_annotation", "ProfilerStep#7", R"("device":5)");
  document.Add("gpu_user_annotation", "backward", R"("device":5)");
  const KinetoTrace trace = document.Read().trace;
  ASSERT_EQ(trace.launches.size(), 2u);
  EXPECT_EQ(trace.launches[0].correlation, 11u);
  EXPECT_EQ(trace.blocking_copies, std::vector<uint64_t>{12});
  ASSERT_EQ(trace.host_waits.size(), 1u);
  EXPECT_EQ(trace.host_waits[0].begin_ns, 3000);
  ASSERT_EQ(trace.host_phases.size(), 1u);
  EXPECT_EQ(trace.host_phases[0].phase, "backward");
  EXPECT_TRUE(trace.host_steps.empty());
  ASSERT_EQ(trace.device_steps.size(), 1u);
  EXPECT_EQ(trace.device_steps[0].step, 7);
  EXPECT_EQ(trace.devices, std::vector<int32_t>{5});
  ASSERT_EQ(trace.device_phases.size(), 1u);
}

TEST(KinetoReaderTest, CopiesAndFillsHaveTheirBytes) {
  KinetoDocument document;
  document.Add("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", R"("bytes":64,"correlation":3)");
  document.Add("gpu_memset", "Memset (Device)", R"("bytes":32)");
  document.Add("kernel", "gemm", R"("bytes":9)");
  const KinetoTrace trace = document.Read().trace;
  ASSERT_EQ(trace.copy_calls.size(), 2u);
  EXPECT_EQ(trace.copy_calls[0].bytes, 64);
  EXPECT_EQ(trace.copy_calls[0].correlation, 3u);
  EXPECT_EQ(trace.copy_calls[1].bytes, 32);
  ASSERT_EQ(trace.device_events.size(), 3u);
  EXPECT_EQ(trace.device_events[0].kernel_class, KernelClass::kMemcpy);
  EXPECT_EQ(trace.device_events[0].kernel, kNoKernel);
  EXPECT_EQ(trace.device_events[1].kernel_class, KernelClass::kMemset);
}

}  // namespace
}  // namespace lockstep::traces
