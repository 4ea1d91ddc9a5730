// What a stream may cost, and when its format is settled.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "ingest/logs/log_parser.h"
#include "ingest/logs/log_parser_testing.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

class LogParserLimitsTest : public testing::Test {
 protected:
  void Begin(const LogHints& hints = {}) { parser_ = *LogParser::New(hints, sink_); }
  void BeginAs(std::string_view format) {
    LogHints hints;
    hints.format = format;
    Begin(hints);
  }
  std::string_view format() const { return parser_->format_name(); }

  TextSink sink_;
  std::unique_ptr<LogParser> parser_;
};

constexpr std::string_view kIteration = " iteration 1/ 9 | lm loss: 1 |\n";

std::string Lines(size_t count, std::string_view line) {
  std::string lines;
  for (size_t i = 0; i < count; ++i) lines.append(line);
  return lines;
}

TEST_F(LogParserLimitsTest, AThousandLinesWaitForTheirFormat) {
  Begin();
  parser_->Feed(Lines(kMaxSniffedLines - 1, "x\n"));
  EXPECT_EQ(parser_->counts().lines, 0u);
  EXPECT_EQ(format(), "");
  parser_->Feed("x\n");
  EXPECT_EQ(parser_->counts().lines, kMaxSniffedLines);
  EXPECT_EQ(parser_->counts().ignored, kMaxSniffedLines);
  // It may show later.
  parser_->Feed(kIteration);
  EXPECT_EQ(format(), "megatron");
  EXPECT_EQ(sink_.text(), "step step=1 train_loss=1\n");
}

TEST_F(LogParserLimitsTest, AQuarterOfAMebibyteWaitsForItsFormat) {
  const std::string line = std::string((64 << 10) - 1, 'x') + "\n";
  Begin();
  parser_->Feed(Lines(3, line) + line.substr(1));
  EXPECT_EQ(parser_->counts().lines, 0u);
  Begin();
  parser_->Feed(Lines(4, line));
  EXPECT_EQ(parser_->counts().lines, 4u);
}

TEST_F(LogParserLimitsTest, AnOverlongLineEndsTheWait) {
  Begin();
  parser_->Feed("a\n" + std::string(kMaxLineBytes + 1, 'x') + "\nb\n");
  EXPECT_EQ(parser_->counts().lines, 3u);
  EXPECT_EQ(parser_->counts().rejected, 1u);
  EXPECT_EQ(parser_->counts().ignored, 2u);
}

TEST_F(LogParserLimitsTest, TheEndEndsTheWait) {
  Begin();
  parser_->Feed("a\n\nb");
  EXPECT_EQ(parser_->counts().lines, 0u);
  EXPECT_EQ(parser_->counts().bytes, 4u);
  parser_->Finish();
  EXPECT_EQ(parser_->counts().lines, 3u);
  EXPECT_EQ(parser_->counts().ignored, 3u);
  // The last line may be the one that shows the format.
  Begin();
  parser_->Feed("a\n iteration 1/ 9 | lm loss: 1 |");
  EXPECT_EQ(format(), "");
  parser_->Finish();
  EXPECT_EQ(format(), "megatron");
  EXPECT_EQ(sink_.text(), "step step=1 train_loss=1\n");
}

TEST_F(LogParserLimitsTest, PrefixesDoNotHideTheFormat) {
  Begin();
  parser_->Feed("0: \n0: step,loss\n0: 1,2\n");
  EXPECT_EQ(format(), "csv");
  EXPECT_EQ(sink_.text(), "step rank=0 step=1 train_loss=2\n");
}

TEST_F(LogParserLimitsTest, MeasurementsInJsonAreSureAfterSixteen) {
  const std::string measurement = "{\"a\": 1}\n";
  Begin();
  parser_->Feed(Lines(15, measurement) + std::string(kIteration));
  EXPECT_EQ(format(), "megatron");
  Begin();
  parser_->Feed(Lines(16, measurement) + std::string(kIteration));
  EXPECT_EQ(format(), "jsonl");
  EXPECT_EQ(parser_->counts().rejected, 1u);
  // A step is sure at once.
  Begin();
  parser_->Feed("{\"step\": 1}\n" + std::string(kIteration));
  EXPECT_EQ(format(), "jsonl");
}

TEST_F(LogParserLimitsTest, AGivenFormatStays) {
  BeginAs("nccl");
  parser_->Feed(kIteration);
  EXPECT_EQ(format(), "nccl");
  EXPECT_EQ(parser_->counts().ignored, 1u);
  BeginAs("megatron");
  parser_->Feed("step,loss\n");
  EXPECT_EQ(format(), "megatron");
}

TEST_F(LogParserLimitsTest, AStrongFormatStays) {
  Begin();
  parser_->Feed(std::string(kIteration) + "iter 0: loss 4.25\n{\"step\": 1}\n");
  EXPECT_EQ(format(), "megatron");
  EXPECT_EQ(parser_->counts().ignored, 2u);
}

TEST_F(LogParserLimitsTest, AHundredRejectionsAreKept) {
  BeginAs("jsonl");
  parser_->Feed(Lines(kMaxKeptRejections + 1, "x\n"));
  EXPECT_EQ(parser_->counts().rejected, kMaxKeptRejections + 1);
  std::vector<RejectedLine> kept = parser_->TakeRejections();
  ASSERT_EQ(kept.size(), kMaxKeptRejections);
  EXPECT_EQ(kept.back().number, kMaxKeptRejections);
  EXPECT_EQ(kept.back().offset, 2 * (kMaxKeptRejections - 1));
  EXPECT_EQ(kept.back().text, "x");
  EXPECT_EQ(parser_->TakeRejections().size(), 0u);
  parser_->Feed("y\n");
  kept = parser_->TakeRejections();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].number, kMaxKeptRejections + 2);
}

TEST_F(LogParserLimitsTest, TextsAreClipped) {
  BeginAs("jsonl");
  const std::string longest(kMaxKeptTextBytes, 'x');
  parser_->Feed(longest + "y\n");
  parser_->Feed(longest + "\n");
  parser_->Feed(std::string(kMaxLineBytes + 1, 'x') + "\n");
  for (const RejectedLine& line : parser_->TakeRejections()) EXPECT_EQ(line.text, longest);
  // Of an event, too.
  const std::string event = "CUDA error: " + std::string(kMaxKeptTextBytes, 'x');
  parser_->Feed(event + "\n");
  EXPECT_EQ(sink_.text(), "event crash: " + event.substr(0, kMaxKeptTextBytes) + "\n");
}

TEST_F(LogParserLimitsTest, MemoryIsThatOfTheUnparsedInput) {
  Begin();
  parser_->Feed("step,loss\n");
  parser_->Feed(Lines(100'000, "1,2\n"));
  const size_t usual = parser_->held_bytes();
  EXPECT_GE(usual, kReadBytes);
  EXPECT_LE(usual, 4 * kReadBytes);
  parser_->Feed(std::string(kMaxLineBytes, 'x'));
  EXPECT_GE(parser_->held_bytes(), kMaxLineBytes);
}

TEST_F(LogParserLimitsTest, UnknownFormatsAreNamed) {
  LogHints hints;
  hints.format = "cobol";
  EXPECT_EQ(Message(LogParser::New(hints, sink_).status()),
            "unknown training log format \"cobol\"");
}

TEST_F(LogParserLimitsTest, EventsHaveTheTimeInFrontOfThem) {
  // 10:00 an hour east of UTC; an hour later with a time from the container.
  LogHints hints;
  hints.format = "megatron";
  hints.utc_offset_s = 3600;
  hints.rank = 5;
  for (const std::string_view head :
       {"2026-03-02 10:00:00,125 ", "[2026-03-02 10:00:00.125] ", "  [2026-03-02T10:00:00.125] ",
        "[titan] 2026-03-02 10:00:00,125 - root - "}) {
    const std::string line = std::string(head) + "CUDA error: x";
    EXPECT_EQ(ParseLog(line + "\n", hints).records,
              "event rank=5 time=1772442000125 crash: " + line.substr(line.find_first_not_of(' ')) +
                  "\n");
  }
  EXPECT_EQ(ParseLog("2026-03-02T10:00:00Z 7: 2026-03-02 10:00:00 CUDA error: x\n", hints).records,
            "event rank=7 time=1772445600000 crash: 2026-03-02 10:00:00 CUDA error: x\n");
}

TEST_F(LogParserLimitsTest, CarriageReturnsDivideALine) {
  // The parts that are nothing are ignored each; a trailing return belongs to the line's end.
  const ParsedLog parsed =
      ParseLogAs("jsonl", "{\"step\": 1}\r{\"step\": 2}\r\n\r\r{\"step\": 3}\n");
  EXPECT_EQ(parsed.records, "step step=1\nstep step=2\nstep step=3\n");
  EXPECT_EQ(parsed.counts.lines, 2u);
  EXPECT_EQ(parsed.counts.ignored, 0u);
  EXPECT_EQ(parsed.counts.rejected, 0u);
}

}  // namespace
}  // namespace lockstep::logs
