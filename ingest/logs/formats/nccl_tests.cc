// The output of nccl-tests and rccl-tests: all_reduce_perf and similar print a table of message
// sizes.
//
//   # Collective test starting: all_reduce_perf
//   #  Rank  0 Group  0 Pid  15784 on  node0 device  0 [0009:01:00] NVIDIA GH200 120GB
//   #       size   count  type redop root   time algbw busbw #wrong   time algbw busbw #wrong
//        1048576  262144 float   sum   -1 339.61  3.09  3.09      0 335.85  3.12  3.12      0
//
// The first four numbers are for out of place, the others for in place. Source: NVIDIA/nccl-tests,
// src/common.cu.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::string_view kStarting = "Collective test starting: ";
constexpr std::string_view kAverage = "# Avg bus bandwidth";
constexpr std::string_view kOutOfBounds = "# Out of bounds values";

// The numbers of a row: time, algbw, busbw and wrong values, for out of place and in place.
constexpr size_t kNumbersOfPlace = 4;
constexpr size_t kNumbers = 2 * kNumbersOfPlace;
// The words before them: size, count, type, redop if any, and root.
constexpr size_t kFewestNames = 3;
constexpr size_t kMostNames = 5;

constexpr double kGigabytePerSecond = 1e9;

struct TestMetric {
  std::string_view name;
  double multiplier;
  double divisor;
};

// The columns of a place, in order. Powers of ten are divisors, to round only once.
constexpr TestMetric kTestMetrics[kNumbersOfPlace] = {
    {"nccl_test_seconds", 1, 1e6},
    {"nccl_test_algorithm_bandwidth_bytes_per_second", kGigabytePerSecond, 1},
    {"nccl_test_bus_bandwidth_bytes_per_second", kGigabytePerSecond, 1},
    {"nccl_test_wrong_values", 1, 1},
};

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (words.size() <= kMostNames + kNumbers) {
    TakeSpaces(text);
    if (text.empty()) break;
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// Whether it is a table heading, without its leading '#'.
bool IsHead(std::string_view line) {
  return line.starts_with('#') && line.find(" algbw ") != line.npos &&
         line.find(" busbw ") != line.npos && line.find("size ") != line.npos;
}

// "all_reduce" from "all_reduce_perf"; "alltoall" becomes "all_to_all" as elsewhere.
std::string_view CollectiveOfProgram(std::string_view program) {
  if (program.ends_with("_perf")) program.remove_suffix(5);
  return program == "alltoall" ? "all_to_all" : program;
}

class NcclTests : public LogFormat {
 public:
  NcclTests() : keys_({}) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    if (line.text.starts_with('#')) return ParseComment(line, out);
    const std::vector<std::string_view> words = WordsOf(line.text);
    if (words.size() < kFewestNames + kNumbers || words.size() > kMostNames + kNumbers) {
      return kIgnored;
    }
    // Other lines with that many words are ignored.
    if (!IntegerOf(words[0]).has_value() || !IntegerOf(words[1]).has_value()) return kIgnored;
    return ParseRow(line, words, out);
  }

  bool AppendState(std::string& out) const override {
    PutLengthPrefixed(out, collective_);
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter&) override {
    std::string_view collective;
    if (!GetLengthPrefixed(in, collective) || collective.size() > kMaxKeyBytes) return false;
    collective_ = collective;
    return true;
  }

 private:
  LineVerdict ParseComment(const LogLine& line, RecordWriter& out) {
    const size_t starting = line.text.find(kStarting);
    if (starting != line.text.npos) {
      const std::string_view program = Trim(line.text.substr(starting + kStarting.size()));
      if (program.size() > kMaxKeyBytes) return Rejected("a program name that is too long");
      collective_ = CollectiveOfProgram(program);
      return kTaken;
    }
    if (line.text.starts_with(kAverage)) {
      return ParseSummary(line, "nccl_test_mean_bus_bandwidth_bytes_per_second", kGigabytePerSecond,
                          out);
    }
    if (line.text.starts_with(kOutOfBounds)) {
      return ParseSummary(line, "nccl_test_out_of_bounds_values", 1, out);
    }
    return IsHead(line.text) ? kTaken : kIgnored;
  }

  // "# Avg bus bandwidth    : 220.921", "# Out of bounds values : 0 OK"
  LineVerdict ParseSummary(const LogLine& line, std::string_view metric, double scale,
                           RecordWriter& out) {
    std::string_view text = line.text;
    text.remove_prefix(std::min(text.find(':') + 1, text.size()));
    TakeSpaces(text);
    const auto number = TakeNumber(text);
    if (!number.has_value()) return Rejected("a summary that is not a number");
    out.Begin(line, RecordKind::kMeasurement);
    AddCollective(out);
    out.Add(keys_.Find(metric), *number * scale);
    out.Emit();
    return kTaken;
  }

  LineVerdict ParseRow(const LogLine& line, std::span<const std::string_view> words,
                       RecordWriter& out) {
    const size_t names = words.size() - kNumbers;
    type_ = words[2];
    if (names > kFewestNames && words[3] != "none") {
      type_ += ' ';
      type_ += words[3];
    }
    for (const std::string_view place : {"out_of_place", "in_place"}) {
      const size_t first = place == "out_of_place" ? names : names + kNumbersOfPlace;
      const auto verdict =
          ParsePlace(line, words[0], place, words.subspan(first, kNumbersOfPlace), out);
      if (verdict.fate == LineFate::kRejected) return verdict;
    }
    return kTaken;
  }

  // "339.61    3.09    3.09       0"; the last is "N/A" if results are not checked, all are if the
  // place is not measured.
  LineVerdict ParsePlace(const LogLine& line, std::string_view size, std::string_view place,
                         std::span<const std::string_view> numbers, RecordWriter& out) {
    out.Begin(line, RecordKind::kMeasurement);
    AddCollective(out);
    out.AddLabel("message_bytes", size);
    out.AddLabel("place", place);
    out.AddLabel("type", type_);
    for (size_t i = 0; i < kNumbersOfPlace; ++i) {
      if (numbers[i] == "N/A") continue;
      const auto number = NumberOf(numbers[i]);
      if (!number.has_value()) return Rejected("a cell of a table that is not a number");
      const TestMetric& metric = kTestMetrics[i];
      out.Add(keys_.Find(metric.name), *number * metric.multiplier / metric.divisor);
    }
    if (!out.values().empty()) out.Emit();
    return kTaken;
  }

  void AddCollective(RecordWriter& out) {
    if (!collective_.empty()) out.AddLabel("collective", collective_);
  }

  KeyCache keys_;
  std::string collective_;  // of the program started last; "" if unknown
  std::string type_;        // of the row; reused
};

}  // namespace

std::unique_ptr<LogFormat> NewNcclTests() { return std::make_unique<NcclTests>(); }

bool IsNcclTests(std::string_view line) {
  return IsHead(line) || (line.starts_with('#') && line.find(kStarting) != line.npos);
}

}  // namespace lockstep::logs
