// Logs of one JSON object per line.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser_testing.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

std::string JsonRecords(std::string_view log) {
  const ParsedLog parsed = ParseLogAs("jsonl", log);
  EXPECT_EQ(parsed.rejections, "") << log;
  return parsed.records;
}

TEST(JsonLogsTest, ATrainersHistoryIsKnownByItsFirstLine) {
  const std::string end = "{\"train_loss\": 2, \"train_runtime\": 1, \"step\": 9}\n";
  const std::string of_history = "summary step=9 train_loss_mean=2 train_runtime_seconds=1\n";
  const std::string of_others = "step step=9 train_loss=2 train_runtime_seconds=1\n";
  EXPECT_EQ(
      JsonRecords("{\"epoch\": 1, \"learning_rate\": 1, \"eval_loss\": 2, \"step\": 1}\n" + end),
      "evaluation step=1 epoch=1 train_learning_rate=1 validation_loss=2\n" + of_history);
  EXPECT_EQ(JsonRecords("{\"epoch\": 1, \"learning_rate\": 1, \"step\": 1}\n" + end),
            "step step=1 epoch=1 train_learning_rate=1\n" + of_others);
  EXPECT_EQ(JsonRecords("{\"epoch\": 1, \"loss\": 2, \"step\": 1}\n" + end),
            "step step=1 epoch=1 train_loss=2\n" + of_others);
  EXPECT_EQ(JsonRecords("{\"learning_rate\": 1, \"loss\": 2, \"step\": 1}\n" + end),
            "step step=1 train_learning_rate=1 train_loss=2\n" + of_others);
  // What is no object is not the first line.
  const ParsedLog parsed = ParseLogAs(
      "jsonl", "starting\n{\"epoch\": 1, \"learning_rate\": 1, \"loss\": 2, \"step\": 1}\n" + end);
  EXPECT_EQ(parsed.records,
            "step step=1 epoch=1 train_learning_rate=1 train_loss=2\n" + of_history);
  EXPECT_EQ(parsed.rejections, "1 @0: the line does not begin with '{'\n");
}

TEST(JsonLogsTest, LinesWithoutAnObject) {
  const ParsedLog parsed = ParseLogAs("jsonl", "{\"step\": 1}\n   \n x {}\n");
  EXPECT_EQ(parsed.counts.ignored, 1u);
  EXPECT_EQ(parsed.rejections, "3 @16: the line does not begin with '{'\n");
}

TEST(JsonLogsTest, AnObjectWithoutValuesAndStepIsIgnored) {
  const ParsedLog parsed = ParseLogAs("jsonl", "{\"note\": \"x\"}\n{\"step\": 1}\n{\"a\": 1}\n");
  EXPECT_EQ(parsed.records, "step step=1\nmeasurement a=1\n");
  EXPECT_EQ(parsed.counts.ignored, 1u);
  EXPECT_EQ(parsed.rejections, "");
}

TEST(JsonLogsTest, DeviceCountersAreMeasurementsAtAnyStep) {
  EXPECT_EQ(ParseLog("{\"_step\":3,\"_timestamp\":1772442000,\"system.cpu\":5}\n").records,
            "measurement step=3 time=1772442000000 node_cpu_percent=5\n");
}

// `depth` objects inside the outermost one.
std::string Nested(int depth, std::string_view name, std::string_view value) {
  std::string text = "{\"step\":1";
  for (int i = 0; i < depth; ++i) text += absl::StrFormat(",\"%s\":{\"b\":2", name);
  text += absl::StrFormat(",\"c\":%s}", value);
  return text + std::string(static_cast<size_t>(depth), '}') + "\n";
}

TEST(JsonLogsTest, ObjectsMayBeNestedSixteenTimes) {
  const std::string too_deep = "1 @0: objects are nested too deeply\n";
  // An escaped text takes another way.
  for (const std::string_view value : {"3", "\"\\n\""}) {
    EXPECT_EQ(ParseLogAs("jsonl", Nested(16, "a", value)).rejections, "") << value;
    EXPECT_EQ(ParseLogAs("jsonl", Nested(17, "a", value)).rejections, too_deep) << value;
  }
  // Also inside what is dropped for its name.
  const std::string name(kMaxKeyBytes + 1, 'n');
  EXPECT_EQ(ParseLogAs("jsonl", Nested(16, name, "3")).rejections, "");
  EXPECT_EQ(ParseLogAs("jsonl", Nested(17, name, "3")).rejections, too_deep);
}

TEST(JsonLogsTest, NumbersUnderALongNameCountAsDropped) {
  const std::string longest(kMaxKeyBytes, 'n');
  EXPECT_EQ(JsonRecords("{\"step\":1,\"" + longest + "\":2}\n"), "step step=1 " + longest + "=2\n");
  const ParsedLog parsed = ParseLogAs(
      "jsonl", "{\"step\":1,\"" + longest +
                   "n\":{\"a\":1,\"b\":{\"c\":2,\"d\":\"x\"},\"e\":[1,2],\"f\":NaN,\"g\":true},"
                   "\"h\":4}\n");
  EXPECT_EQ(parsed.records, "step step=1 h=4\n");
  EXPECT_EQ(parsed.counts.records.dropped_values, 3u);
  EXPECT_EQ(parsed.counts.records.values, 1u);
  // A path of names is as long as its parts and the points between them.
  const std::string half(kMaxKeyBytes / 2, 'n');
  const auto nested = [&half](std::string_view inner) {
    return absl::StrFormat("{\"step\":1,\"%s\":{\"%s\":2}}\n", half, inner);
  };
  EXPECT_EQ(ParseLogAs("jsonl", nested(half.substr(1))).counts.records.dropped_values, 0u);
  EXPECT_EQ(ParseLogAs("jsonl", nested(half)).counts.records.dropped_values, 1u);
}

TEST(JsonLogsTest, DamageInsideADroppedObjectIsFound) {
  const std::string name(kMaxKeyBytes + 1, 'n');
  for (const std::string_view inside : {"\"a\" 1", "\"a\":{\"b\" 1}", "a:1"}) {
    const ParsedLog parsed =
        ParseLogAs("jsonl", absl::StrFormat("{\"step\":1,\"%s\":{%s}}\n", name, inside));
    EXPECT_EQ(parsed.counts.rejected, 1u) << inside;
    EXPECT_EQ(parsed.records, "") << inside;
  }
}

TEST(JsonLogsTest, AllWaysOfReadingGiveTheSame) {
  // Only the last line has an escape, which the fast way leaves alone.
  const std::string line =
      "\"t\":{\"a\":0.5,\"b\":{\"c\":-2e3,\"d\":NaN}},\"e\":-Infinity,\"rank\":\"3\","
      "\"host\":\"n1\",\"f\":Infinity,\"ok\":true,\"no\":false,\"nil\":null,\"l\":[1,{\"x\":2}]";
  const std::string values = " t_a=0.5 t_b_c=-2000 t_b_d=NaN e=-Inf f=+Inf\n";
  const auto record = [&values](int step) {
    return absl::StrFormat("event rank=3 step=%d nan: t.b.d\nstep rank=3 step=%d node=n1%s", step,
                           step, values);
  };
  const std::string fast =
      line.substr(0, line.find(",\"e\"")) + line.substr(line.find(",\"rank\""));
  EXPECT_EQ(JsonRecords("{\"step\":1," + line + "}\n{\"step\":2," + line + ",\"n\":\"\\t\"}\n"),
            record(1) + record(2));
  EXPECT_EQ(JsonRecords("{\"step\":1," + fast.substr(0, fast.find(",\"l\"")) + "}\n"),
            "event rank=3 step=1 nan: t.b.d\n"
            "step rank=3 step=1 node=n1 t_a=0.5 t_b_c=-2000 t_b_d=NaN f=+Inf\n");
}

TEST(JsonLogsTest, LongNumbersAreRead) {
  EXPECT_EQ(JsonRecords("{\"step\":1,\"a\":0.30000000000000004,\"b\":123456789012345678,"
                        "\"c\":1e300}\n"),
            "step step=1 a=0.30000000000000004 b=1.2345678901234568e+17 c=1e+300\n");
}

}  // namespace
}  // namespace lockstep::logs
