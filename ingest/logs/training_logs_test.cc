// The sample files of every format against their truth, tests/training_logs/data/expected.json.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
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
  // Dumped as JSON lines, a trainer's summary is one record of many.
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

}  // namespace
}  // namespace lockstep::logs
