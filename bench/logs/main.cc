// Measures how fast training logs become records and samples: megabytes of input per CPU second on
// one thread, in slices of 64 KiB as from a socket; the formats take turns, and the best run of
// each counts.
//
// The benchmark generates the logs, so it knows their content: the parsed values are summed first
// and must match.

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
#include "ingest/logs/log_parser.h"
#include "ingest/push/log_stream.h"

namespace lockstep::logs {
namespace {

constexpr size_t kSliceBytes = 64 << 10;
constexpr size_t kPushBytes = 1 << 20;

struct Options {
  double megabytes = 64;  // of each log
  int repeats = 5;
  std::string only;  // only logs whose names contain this
  bool is_tiny = false;
};

// A log's content: the sum of its values as written, and of its steps.
struct Sum {
  uint64_t records = 0;
  uint64_t values = 0;
  double total = 0;
};

class SummingSink : public LogSink {
 public:
  void Take(const LogRecord& record) override {
    ++sum_.records;
    sum_.values += record.values.size();
    sum_.total += static_cast<double>(record.step.value_or(0));
    for (const LogValue& value : record.values) sum_.total += value.value;
  }
  const Sum& sum() const { return sum_; }

 private:
  Sum sum_;
};

struct BenchLog {
  std::string_view name;
  std::string text;
  Sum sum;
  double best_megabytes_per_second = 0;  // as records
  double best_pushed_per_second = 0;     // as samples
};

// Appends lines until the log is long enough; `append(step, text)` returns the sum of a line's
// values and step.
template <typename AppendLine>
BenchLog MakeLog(std::string_view name, double megabytes, size_t values, const AppendLine& append) {
  BenchLog log;
  log.name = name;
  while (static_cast<double>(log.text.size()) < megabytes * 1e6) {
    const auto step = static_cast<int64_t>(++log.sum.records);
    log.sum.total += append(step, log.text);
    log.sum.values += values;
  }
  return log;
}

// Numbers like logged ones: they vary from line to line and have few digits.
double Noise(int64_t step, int salt) {
  const auto mixed =
      static_cast<uint64_t>(step) * 2654435761U + static_cast<uint64_t>(salt) * 40503U;
  return static_cast<double>(mixed % 100'000) / 1e4;
}

double AppendMegatron(int64_t step, std::string& text) {
  const double loss = Noise(step, 1);
  const double norm = std::round(Noise(step, 2) * 1000) / 1000;
  absl::StrAppendFormat(
      &text,
      " [2026-03-02 %02d:%02d:%02d.571224] iteration %8d/  500000 | consumed samples: %12d | "
      "elapsed "
      "time per iteration (ms): 7488.1 | throughput per GPU (TFLOP/s/GPU): 450.5 | learning rate: "
      "9.000000E-06 | global batch size:   128 | lm loss: %.6E | loss scale: 1.0 | grad norm: %.3f "
      "| "
      "number of skipped iterations:   0 | number of nan iterations:   0 |\n",
      step / 3600 % 24, step / 60 % 60, step % 60, step, step * 128, loss, norm);
  return static_cast<double>(step + step * 128) + 7488.1 + 450.5 + 9e-6 + 128 + loss + 1 + norm;
}

double AppendShortJson(int64_t step, std::string& text) {
  const double loss = Noise(step, 1);
  absl::StrAppendFormat(&text, "{\"step\": %d, \"loss\": %.4f, \"step_time_s\": 1.43}\n", step,
                        loss);
  return static_cast<double>(step) + loss + 1.43;
}

double AppendJson(int64_t step, std::string& text) {
  const double loss = Noise(step, 1);
  const double wait = Noise(step, 2);
  absl::StrAppendFormat(
      &text,
      "{\"ts\": %d.45, \"rank\": 0, \"local_rank\": 0, \"step\": %d, \"loss\": %.4f, "
      "\"step_time_s\": 1.2243, \"compute_s\": 1.1052, \"comm_wait_s\": %.4f, "
      "\"data_s\": 0.0031, \"tokens\": 65536}\n",
      1772442931 + step, step, loss, wait);
  return static_cast<double>(step) + loss + 1.2243 + 1.1052 + wait + 0.0031 + 65536;
}

double AppendLongJson(int64_t step, std::string& text) {
  absl::StrAppendFormat(&text, "{\"_step\": %d, \"_timestamp\": %d.5", step, 1772442931 + step);
  double total = static_cast<double>(step);
  for (int i = 0; i < 60; ++i) {
    const double value = Noise(step, i);
    absl::StrAppendFormat(&text, ", \"train/group_%d/some_statistic\": %.4f", i, value);
    total += value;
  }
  text.append("}\n");
  return total;
}

double AppendCsv(int64_t step, std::string& text) {
  const double loss = Noise(step, 1);
  if (text.empty()) text.append("step,loss,lr,step_time\n");
  absl::StrAppendFormat(&text, "%d,%.4f,1.500e-07,1.43\n", step, loss);
  return static_cast<double>(step) + loss + 1.5e-07 + 1.43;
}

absl::StatusOr<Sum> Parse(const BenchLog& log) {
  SummingSink sink;
  auto parser = LogParser::New({}, sink);
  if (!parser.ok()) return parser.status();
  std::string_view rest = log.text;
  while (!rest.empty()) {
    (*parser)->Feed(rest.substr(0, kSliceBytes));
    rest.remove_prefix(std::min(rest.size(), kSliceBytes));
  }
  (*parser)->Finish();
  return sink.sum();
}

// The samples of the log, pushed in pieces like a request body.
absl::StatusOr<uint64_t> Push(const BenchLog& log) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto stream, push::LogStream::New({}, IngestLimits()));
  uint64_t sample_count = 0;
  push::LogPush piece;
  for (size_t begin = 0; begin < log.text.size(); begin += kPushBytes) {
    piece.bytes = std::string_view(log.text).substr(begin, kPushBytes);
    piece.offset = begin;
    piece.arrival_ms = static_cast<int64_t>(begin);
    piece.is_last = begin + piece.bytes.size() == log.text.size();
    LOCKSTEP_ASSIGN_OR_RETURN(const WriteRequest request, stream->Begin(piece));
    for (const SeriesWrite& series : request.series) sample_count += series.samples.size();
    stream->End(true);
  }
  return sample_count;
}

absl::Status Check(const BenchLog& log) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Sum found, Parse(log));
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t sample_count, Push(log));
  // One sample per value, and one per record's step.
  if (sample_count != log.sum.values + log.sum.records) {
    return absl::InternalError(absl::StrFormat("%s: %d samples of %d values and %d steps", log.name,
                                               sample_count, log.sum.values, log.sum.records));
  }
  const bool is_right = found.records == log.sum.records && found.values == log.sum.values &&
                        std::abs(found.total - log.sum.total) <= 1e-9 * log.sum.total;
  if (is_right) return absl::OkStatus();
  return absl::InternalError(absl::StrFormat(
      "%s: %d records, %d values, sum %f where %d, %d, %f were written", log.name, found.records,
      found.values, found.total, log.sum.records, log.sum.values, log.sum.total));
}

absl::Status Time(BenchLog& log) {
  const double start = ThreadCpuSeconds();
  LOCKSTEP_ASSIGN_OR_RETURN(const Sum found, Parse(log));
  const double seconds = ThreadCpuSeconds() - start;
  if (found.records != log.sum.records) return absl::InternalError("records were lost");
  const double push_start = ThreadCpuSeconds();
  LOCKSTEP_RETURN_IF_ERROR(Push(log).status());
  const double push_seconds = ThreadCpuSeconds() - push_start;
  const double megabytes = static_cast<double>(log.text.size()) / 1e6;
  log.best_megabytes_per_second = std::max(log.best_megabytes_per_second, megabytes / seconds);
  log.best_pushed_per_second = std::max(log.best_pushed_per_second, megabytes / push_seconds);
  return absl::OkStatus();
}

absl::Status Run(const Options& options) {
  const double megabytes = options.is_tiny ? 0.1 : options.megabytes;
  std::vector<BenchLog> logs;
  logs.push_back(MakeLog("Megatron", megabytes, 10, AppendMegatron));
  logs.push_back(MakeLog("JSON lines of 50 bytes", megabytes, 2, AppendShortJson));
  logs.push_back(MakeLog("JSON lines of 180 bytes", megabytes, 6, AppendJson));
  logs.push_back(MakeLog("JSON lines of 2.5 KB", megabytes, 60, AppendLongJson));
  logs.push_back(MakeLog("CSV", megabytes, 3, AppendCsv));
  std::erase_if(logs,
                [&](const BenchLog& log) { return log.name.find(options.only) == log.name.npos; });
  for (const BenchLog& log : logs) LOCKSTEP_RETURN_IF_ERROR(Check(log));
  for (int repeat = 0; repeat < (options.is_tiny ? 1 : options.repeats); ++repeat) {
    for (BenchLog& log : logs) LOCKSTEP_RETURN_IF_ERROR(Time(log));
  }
  for (const BenchLog& log : logs) {
    const auto values = static_cast<double>(log.sum.values);
    const double bytes_per_value = static_cast<double>(log.text.size()) / values;
    std::printf("%-24s records %6.0f MB/s %6.1f M values/s, samples %6.0f MB/s\n",
                std::string(log.name).c_str(), log.best_megabytes_per_second,
                log.best_megabytes_per_second / bytes_per_value, log.best_pushed_per_second);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep::logs

int main(int argc, char** argv) {
  lockstep::logs::Options options;
  CLI::App app("How fast training logs become records");
  app.add_option("--megabytes", options.megabytes, "size of each log");
  app.add_option("--repeats", options.repeats, "runs of each log; the best counts");
  app.add_option("--only", options.only, "only logs whose names contain this");
  app.add_flag("--tiny", options.is_tiny, "a short run, as a test");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = lockstep::logs::Run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(lockstep::Message(status)).c_str());
  return 1;
}
