#include "import/traces/nsys/nsys_stats.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "import/traces/records/trace_limits.h"
#include "import/traces/records/traces_testing.h"

namespace lockstep::traces {
namespace {

struct ReadTables {
  std::vector<TraceRecord> records;
  std::string problems;
  uint64_t tables = 0;
  uint64_t rows = 0;
};

ReadTables ReadNsys(std::string_view file, size_t piece_bytes = 1000) {
  NsysStatsReader reader;
  ReadTables read;
  for (size_t at = 0; at < file.size(); at += piece_bytes) {
    reader.Feed(file.substr(at, piece_bytes), read.records);
  }
  reader.Finish(read.records);
  read.problems = reader.problems().ToString();
  read.tables = reader.table_count();
  read.rows = reader.row_count();
  return read;
}

// One "metric{label=value,...} value unit" per line.
std::string DescribeRecords(const std::vector<TraceRecord>& records) {
  std::string text;
  for (const TraceRecord& record : records) {
    text += record.metric + "{";
    for (const TraceLabel& label : record.labels) text += label.name + "=" + label.value + ",";
    if (text.back() == ',') text.pop_back();
    absl::StrAppendFormat(&text, "} %.9g %s\n", record.value, record.unit);
  }
  return text;
}

TEST(NsysStatsTest, ReadsKernelsWhoseNamesHaveCommas) {
  const ReadTables read = ReadNsys(ReadTestFile("nsys/profile_cuda_gpu_kern_sum.csv"));
  EXPECT_EQ(read.problems, "");
  EXPECT_EQ(read.rows, 54u);
  EXPECT_EQ(read.records.size(), 54u * 8);
  const TraceRecord* top = nullptr;
  size_t with_commas = 0;
  for (const TraceRecord& record : WithMetric(read.records, "nsys_kernel_seconds")) {
    if (LabelOf(record, "stat") != "total") continue;
    with_commas += LabelOf(record, "kernel").find(',') != std::string::npos;
  }
  const auto seconds = WithMetric(read.records, "nsys_kernel_seconds");
  for (const TraceRecord& record : seconds) {
    if (LabelOf(record, "stat") != "total") continue;
    if (top == nullptr || record.value > top->value) top = &record;
  }
  EXPECT_EQ(with_commas, 1u);
  ASSERT_NE(top, nullptr);
  EXPECT_EQ(LabelOf(*top, "kernel"),
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_"
            "execute_segment_k_off_"
            "kernel__5x_cublas");
  EXPECT_EQ(LabelOf(*top, "class"), "gemm");
  EXPECT_NEAR(top->value, 1.932550323, 1e-12);
}

TEST(NsysStatsTest, ReadsRangesAndMemoryOperations) {
  const ReadTables ranges = ReadNsys(ReadTestFile("nsys/profile_nvtx_sum.csv"));
  EXPECT_EQ(ranges.problems, "");
  EXPECT_EQ(ranges.rows, 5u);
  EXPECT_EQ(LabelOf(ranges.records[0], "phase"), "backward");
  EXPECT_EQ(LabelOf(ranges.records[0], "range"), "Backward Pass");
  EXPECT_EQ(LabelOf(ranges.records[0], "style"), "PushPop");
  const ReadTables memory = ReadNsys(ReadTestFile("nsys/profile_cuda_gpu_mem_time_sum.csv"));
  EXPECT_EQ(memory.problems, "");
  EXPECT_EQ(memory.rows, 2u);
  EXPECT_EQ(LabelOf(memory.records[0], "operation"), "[CUDA memcpy Host-to-Device]");
}

// The output of nsys for several reports in one file, with other units.
TEST(NsysStatsTest, ReadsSeveralTablesWithTheirUnits) {
  const ReadTables read = ReadNsys(
      "Processing [a.sqlite] with [cuda_gpu_kern_sum.py]...\n\n"
      "Time (%),Total Time (ms),Instances,Avg (us),Name\n"
      "50.0,\"1,500.5\",3,2,\"f<1, 2>\"\n"
      "\n"
      " ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):\n"
      "Total (MB),Count,Avg (MiB),Operation\n"
      "2.5,4,1,[CUDA memset]\n"
      "\n"
      "Time (%),Total Time (ns),Num Calls,Name\n"
      "1,7,8,cudaLaunchKernel\n");
  EXPECT_EQ(read.problems, "");
  EXPECT_EQ(read.tables, 3u);
  EXPECT_EQ(DescribeRecords(read.records),
            "nsys_kernel_time_ratio{kernel=f<1, 2>,class=other} 0.5 ratio\n"
            "nsys_kernel_seconds{kernel=f<1, 2>,class=other,stat=total} 1.5005 s\n"
            "nsys_kernel_count{kernel=f<1, 2>,class=other} 3 count\n"
            "nsys_kernel_seconds{kernel=f<1, 2>,class=other,stat=avg} 2e-06 s\n"
            "nsys_memory_bytes{operation=[CUDA memset],stat=total} 2500000 bytes\n"
            "nsys_memory_count{operation=[CUDA memset]} 4 count\n"
            "nsys_memory_bytes{operation=[CUDA memset],stat=avg} 1048576 bytes\n"
            "nsys_call_time_ratio{call=cudaLaunchKernel} 0.01 ratio\n"
            "nsys_call_seconds{call=cudaLaunchKernel,stat=total} 7e-09 s\n"
            "nsys_call_count{call=cudaLaunchKernel} 8 count\n");
}

TEST(NsysStatsTest, CountsWhatIsBroken) {
  const ReadTables read = ReadNsys(
      "Time (%),Total Time (ns),Instances,Name\n"
      "1,2,3,f,g\n"
      "x,2,3,h\n"
      ",5,,i\n");
  EXPECT_EQ(read.problems,
            "1 x row with another number of cells than its table (first at byte 40), 1 x cell that "
            "is not a number (first at byte 50)");
  EXPECT_EQ(DescribeRecords(read.records),
            "nsys_kernel_seconds{kernel=h,class=other,stat=total} 2e-09 s\n"
            "nsys_kernel_count{kernel=h,class=other} 3 count\n"
            "nsys_kernel_seconds{kernel=i,class=other,stat=total} 5e-09 s\n");
  EXPECT_EQ(ReadNsys("step,loss\n1,2\n").problems,
            "1 x no supported nsys table in the file (first at byte 0)");
}

TEST(NsysStatsTest, PiecesOfAnySizeAndTornTailsAreRead) {
  const std::string file = ReadTestFile("nsys/profile_nvtx_sum.csv");
  const std::string whole = DescribeRecords(ReadNsys(file).records);
  for (size_t piece_bytes = 1; piece_bytes < 100; ++piece_bytes) {
    ASSERT_EQ(DescribeRecords(ReadNsys(file, piece_bytes).records), whole);
  }
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_LE(ReadNsys(std::string_view(file).substr(0, size)).rows, 5u);
  }
}

constexpr std::string_view kTraceHead =
    "Name,Projected Start (ns),Projected Duration (ns),Style,PID,TID\n";

// A range without work on the device has no start there.
TEST(NsysStatsTest, RowsWithoutAStartAreNone) {
  const ReadTables read = ReadNsys(std::string(kTraceHead) + "a,,,PushPop,1,1\n");
  EXPECT_EQ(read.rows, 0u);
  EXPECT_TRUE(read.records.empty());
  EXPECT_EQ(read.problems, "");
  EXPECT_EQ(ReadNsys(std::string(kTraceHead) + "a,0,5,PushPop,1,1\n").rows, 1u);
}

TEST(NsysStatsTest, RowsWithoutANumberAreNone) {
  const ReadTables read = ReadNsys("Time (%),Total Time (ns),Instances,Name\n,,,f\n1,2,3,g\n");
  EXPECT_EQ(read.rows, 1u);
}

TEST(NsysStatsTest, ALocatedRowWithABadNumberIsLeftOut) {
  const ReadTables read = ReadNsys(std::string(kTraceHead) + "a,1,x,PushPop,1,1\n");
  EXPECT_EQ(read.rows, 0u);
  EXPECT_EQ(read.problems, "1 x cell that is not a number (first at byte 64)");
}

TEST(NsysStatsTest, ARecordingHasAWeekAtMost) {
  const auto problems = [](const char* start, const char* duration) {
    return ReadNsys(std::string(kTraceHead) + "a," + start + "," + duration + ",PushPop,1,1\n")
        .problems;
  };
  EXPECT_EQ(problems("604800000000000", "604800000000000"), "");
  EXPECT_EQ(problems("0", "0"), "");
  const char* outside = "1 x time outside the recording (first at byte 64)";
  EXPECT_EQ(problems("604800000000001", "0"), outside);
  EXPECT_EQ(problems("0", "604800000000001"), outside);
  EXPECT_EQ(problems("0", "-1"), outside);
}

TEST(NsysStatsTest, ARankIsWholeAndHasSevenDigits) {
  const auto rank_of = [](const char* rank) {
    const ReadTables read =
        ReadNsys(std::string("Name,Time,Total Time,Instances,Rank\nf,1,2,3,") + rank + "\n");
    EXPECT_EQ(read.records.size(), 3u);
    return read.records.front().rank;
  };
  EXPECT_EQ(rank_of("0"), 0);
  EXPECT_EQ(rank_of("9999999"), 9'999'999);
  EXPECT_EQ(rank_of("10000000"), std::nullopt);
  EXPECT_EQ(rank_of("-1"), std::nullopt);
  EXPECT_EQ(rank_of(""), std::nullopt);
}

TEST(NsysStatsTest, TheFirstTablesThatAreNotReadAreNamed) {
  std::string file;
  for (size_t i = 0; i <= kMaxUnknownTables; ++i) {
    absl::StrAppendFormat(&file, "Colour,Head of table %c\n1,2\n\n", 'a' + static_cast<int>(i));
  }
  file += "Colour," + std::string(300, 'x') + "\n";
  NsysStatsReader reader;
  std::vector<TraceRecord> records;
  reader.Feed(file, records);
  reader.Finish(records);
  ASSERT_EQ(reader.unknown_tables().size(), kMaxUnknownTables);
  EXPECT_EQ(reader.unknown_tables().front(), "table (Colour, Head of table a)");
  EXPECT_EQ(reader.unknown_tables().back(), "table (Colour, Head of table p)");
  NsysStatsReader other;
  other.Feed("Colour," + std::string(300, 'x') + "\n", records);
  ASSERT_EQ(other.unknown_tables().size(), 1u);
  EXPECT_EQ(other.unknown_tables()[0], "table (Colour, " + std::string(248, 'x') + ")");
}

TEST(NsysStatsTest, NamesWithAStartAreLimited) {
  std::string file(kTraceHead);
  for (size_t i = 0; i <= kMaxLocatedSeries; ++i) {
    absl::StrAppendFormat(&file, "r%dx,1000000,5,PushPop,1,1\n", i);
  }
  file += "r0x,2000000,5,PushPop,1,1\n";
  const ReadTables read = ReadNsys(file);
  EXPECT_TRUE(read.problems.starts_with("1 x too many names with a start (first at byte "))
      << read.problems;
  EXPECT_EQ(read.records.size(), 3 * (kMaxLocatedSeries + 1));
}

TEST(NsysStatsTest, RowsWithAStartAreLimited) {
  std::string file(kTraceHead);
  for (size_t i = 0; i < kMaxLocatedRows + 1; ++i) {
    absl::StrAppendFormat(&file, "a,%d000000,5,PushPop,1,1\n", i);
  }
  const ReadTables read = ReadNsys(file, 1 << 20);
  EXPECT_TRUE(read.problems.starts_with("1 x too many rows with a start (first at byte "))
      << read.problems;
  EXPECT_EQ(read.records.size(), 3 * kMaxLocatedRows);
}

}  // namespace
}  // namespace lockstep::traces
