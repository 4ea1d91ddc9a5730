// Checks the sample files of every format against tests/training_logs/data/expected.json.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/logs/log_parser_testing.h"

namespace lockstep::logs {
namespace {

std::string FileOf(const std::string& path) {
  std::ifstream file(std::string(LOCKSTEP_TRAINING_LOGS) + "/" + path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

struct Expected {
  std::string path;
  std::string parser;
  uint64_t records;
  uint64_t bad_lines = 0;
  uint64_t evaluations = 0;
};

uint64_t NumberIn(simdjson::dom::element element, const char* key) {
  uint64_t number = 0;
  return element[key].get(number) == simdjson::SUCCESS ? number : 0;
}

std::vector<Expected> ReadExpected() {
  static simdjson::dom::parser parser;
  simdjson::dom::object files;
  const auto text = simdjson::padded_string(FileOf("expected.json"));
  EXPECT_FALSE(parser.parse(text).get(files));
  std::vector<Expected> expected;
  for (const auto& [path, truth] : files) {
    expected.push_back({std::string(path), std::string(std::string_view(truth["parser"])),
                        NumberIn(truth, "records"), NumberIn(truth, "bad_lines"),
                        NumberIn(truth, "eval_records") + NumberIn(truth, "validation_records")});
  }
  return expected;
}

uint64_t RecordCount(const std::string& format, const RecordCounts& counts) {
  if (format == "torchelastic_error") return counts.of(RecordKind::kEvent);
  const uint64_t measured = counts.of(RecordKind::kMeasurement);
  // In JSON lines, a trainer's summary is one of many records.
  const uint64_t summaries = format == "jsonl" ? counts.of(RecordKind::kSummary) : 0;
  return counts.of(RecordKind::kStep) + measured + summaries;
}

TEST(TrainingLogsTest, EverySampleIsFoundOutAndHasItsRecords) {
  const std::vector<Expected> files = ReadExpected();
  ASSERT_GE(files.size(), 45u);
  for (const Expected& file : files) {
    SCOPED_TRACE(file.path);
    const ParsedLog parsed = ParseLog(FileOf(file.path), HintsFromPath(file.path));
    EXPECT_EQ(parsed.format, file.parser);
    EXPECT_EQ(RecordCount(parsed.format, parsed.counts.records), file.records);
    EXPECT_EQ(parsed.counts.rejected, file.bad_lines) << parsed.rejections;
    EXPECT_EQ(parsed.counts.records.dropped_values, 0u);
    if (file.evaluations > 0) {
      EXPECT_EQ(parsed.counts.records.of(RecordKind::kEvaluation), file.evaluations);
    }
  }
}

TEST(TrainingLogsTest, SlicesDoNotMatter) {
  std::mt19937 random(7);
  for (const Expected& file : ReadExpected()) {
    SCOPED_TRACE(file.path);
    const std::string bytes = FileOf(file.path);
    const LogHints hints = HintsFromPath(file.path);
    const ParsedLog whole = ParseLog(bytes, hints);
    EXPECT_TRUE(whole == ParseInSlices(bytes, hints, [] { return 1; }));
    for (const size_t longest : {7, 300, 5000, 100'000}) {
      std::uniform_int_distribution<size_t> size(1, longest);
      EXPECT_TRUE(whole == ParseInSlices(bytes, hints, [&] { return size(random); })) << longest;
    }
  }
}

// Checks facts planted in the samples, and facts of real runs from their README.
struct Point {
  int64_t step;
  int32_t rank;
  uint32_t attempt;
  double value;
};

class PointSink : public LogSink {
 public:
  explicit PointSink(std::string_view name) : name_(name) {}
  void Take(const LogRecord& record) override {
    events_ += record.event == name_ ? 1 : 0;
    for (const LogValue& value : record.values) {
      if (value.key->name != name_) continue;
      points_.push_back({record.step.value_or(-1), record.rank.value_or(-1), record.attempt,
                         value.key->InUnit(value.value)});
    }
  }
  const std::vector<Point>& points() const { return points_; }
  int events() const { return events_; }

 private:
  std::string_view name_;
  std::vector<Point> points_;
  int events_ = 0;
};

// The points of metric `name`, and the events of that name.
PointSink PointsOf(const std::string& path, std::string_view name) {
  PointSink sink(name);
  auto parser = LogParser::New(HintsFromPath(path), sink);
  EXPECT_TRUE(parser.ok());
  (*parser)->Feed(FileOf(path));
  (*parser)->Finish();
  return sink;
}

double MedianOf(const std::vector<Point>& points) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.value);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

TEST(TrainingLogsTest, PlantedFacts) {
  EXPECT_EQ(ParseLog(FileOf("megatron_lm/restart.log")).counts.records.repeated_steps, 9u);
  const auto restart = PointsOf("megatron_lm/restart.log", "train_loss");
  EXPECT_EQ(restart.points()[33].step, 34);
  EXPECT_EQ(restart.points()[33].attempt, 0u);
  EXPECT_EQ(restart.points()[34].step, 26);
  EXPECT_EQ(restart.points()[34].attempt, 1u);
  EXPECT_EQ(PointsOf("megatron_lm/energy_skipped.log", "train_loss").points().size(), 48u);
  EXPECT_EQ(PointsOf("megatron_lm/rank_last.log", "train_samples_total").points().back().value,
            7680);
  EXPECT_EQ(PointsOf("nccl/nccl_debug.log", "nccl_error").events(), 1);
  EXPECT_EQ(PointsOf("hf_trainer/stdout_nan.log", "nan").events(), 1);
  EXPECT_NEAR(MedianOf(PointsOf("nemo/bf16_run.log", "train_step_time_seconds").points()), 12.1,
              0.1);
  EXPECT_NEAR(MedianOf(PointsOf("nemo/fp8_run.log", "train_step_time_seconds").points()), 9.37,
              0.1);
  EXPECT_NEAR(MedianOf(PointsOf("nemo/bf16_run.log", "train_tflops_per_gpu").points()), 557.5, 3);
}

// The rank that computes longest, by all ranks' timers and by the lowest score.
TEST(TrainingLogsTest, PlantedStragglers) {
  const auto timers = PointsOf("megatron_lm/timers_all.log", "train_phase_seconds").points();
  EXPECT_EQ(timers.size(), 10u * 7 * 16);
  const auto slowest = std::ranges::max_element(timers, {}, &Point::value);
  EXPECT_EQ(slowest->rank, 11);
  const auto scores =
      PointsOf("nvrx/straggler_report.log", "straggler_gpu_relative_score").points();
  EXPECT_EQ(std::ranges::min_element(scores, {}, &Point::value)->rank, 11);
  const auto throughput =
      PointsOf("megatron_lm/straggler_detector.log", "train_tflops_per_gpu").points();
  EXPECT_EQ(std::ranges::min_element(throughput, {}, &Point::value)->rank, 11);
}

TEST(TrainingLogsTest, RealRuns) {
  const std::string state = "real/hf_trainer/checkpoint-120/trainer_state.json";
  const auto loss = PointsOf(state, "train_loss").points();
  ASSERT_EQ(loss.size(), 60u);
  EXPECT_EQ(loss.front().step, 2);
  EXPECT_NEAR(loss.front().value, 6.978335, 1e-6);
  EXPECT_EQ(loss.back().step, 120);
  EXPECT_NEAR(loss.back().value, 6.342394, 1e-6);
  EXPECT_NEAR(PointsOf(state, "validation_loss").points().back().value, 6.271109, 1e-6);
  // Standard output has four digits and no steps.
  const auto printed = PointsOf("real/hf_trainer/stdout.log", "train_loss").points();
  ASSERT_EQ(printed.size(), 60u);
  for (size_t i = 0; i < printed.size(); ++i) {
    EXPECT_EQ(printed[i].step, loss[i].step);
    EXPECT_NEAR(printed[i].value, loss[i].value, 5e-4);
  }
  const auto lightning =
      PointsOf("real/lightning_csv/version_0/metrics.csv", "train_loss").points();
  ASSERT_EQ(lightning.size(), 50u);
  EXPECT_EQ(lightning.front().step, 1);
  EXPECT_NEAR(lightning.front().value, 7.008103, 1e-6);
  EXPECT_EQ(lightning.back().step, 99);
  EXPECT_NEAR(lightning.back().value, 4.640894, 1e-6);
}

}  // namespace
}  // namespace lockstep::logs
