// A parser that continues from kept state gives the same records as one that read everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser.h"
#include "ingest/logs/log_parser_testing.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

std::unique_ptr<LogParser> NewParser(const LogHints& hints, LogSink& sink) {
  auto parser = LogParser::New(hints, sink);
  EXPECT_TRUE(parser.ok()) << parser.status();
  return *std::move(parser);
}

LogHints HintsWithFormat(std::string_view format) {
  LogHints hints;
  hints.format = format;
  return hints;
}

std::string CountsText(const LogCounts& counts) {
  std::string text = absl::StrFormat(
      "%d bytes, %d lines, %d ignored, %d rejected, %d values, %d repeated, %d "
      "dropped; records:",
      counts.bytes, counts.lines, counts.ignored, counts.rejected, counts.records.values,
      counts.records.repeated_steps, counts.records.dropped_values);
  for (const uint64_t count : counts.records.records) absl::StrAppendFormat(&text, " %d", count);
  return text;
}

// Restarts after each byte where that is possible; returns how often it was.
size_t ExpectSameWithRestarts(std::string_view log, const LogHints& hints = {}) {
  TextSink whole_sink;
  const auto whole = NewParser(hints, whole_sink);
  whole->Feed(log);
  whole->Finish();
  size_t restart_count = 0;
  for (size_t cut = 0; cut <= log.size(); ++cut) {
    TextSink sink;
    auto parser = NewParser(hints, sink);
    parser->Feed(log.substr(0, cut));
    std::string state;
    if (parser->AppendState(state)) {
      ++restart_count;
      parser = NewParser(hints, sink);
      EXPECT_TRUE(parser->LoadState(state)) << cut;
    }
    parser->Feed(log.substr(cut));
    parser->Finish();
    EXPECT_EQ(sink.text(), whole_sink.text()) << cut;
    EXPECT_EQ(CountsText(parser->counts()), CountsText(whole->counts())) << cut;
    EXPECT_EQ(parser->format_name(), whole->format_name()) << cut;
  }
  return restart_count;
}

void ExpectRestartsAnywhere(std::string_view log, const LogHints& hints = {}) {
  EXPECT_EQ(ExpectSameWithRestarts(log, hints), log.size() + 1) << log;
}

TEST(LogParserStateTest, Tables) {
  const std::string long_name(kMaxKeyBytes + 1, 'n');
  ExpectRestartsAnywhere("loss,time,step\n2,,1\n3,1772442000,2\nx,loss,step\n9,4,3\n");
  ExpectRestartsAnywhere("step," + long_name + ",loss\n1,5,2\n", HintsWithFormat("csv"));
  ExpectRestartsAnywhere("1,2\nstep,loss\n1,2\n", HintsWithFormat("csv"));
  ExpectRestartsAnywhere("Step,a - loss,a - loss__MIN\n1,2,1\n\n2,3,3\nStep,b - lr\n3,0.5\n4,x\n");
  ExpectRestartsAnywhere("1,2\nStep,a - loss\n1,2\n", HintsWithFormat("wandb_export"));
}

TEST(LogParserStateTest, JsonLines) {
  ExpectRestartsAnywhere(
      "{\"epoch\": 1, \"learning_rate\": 1, \"loss\": 2, \"step\": 1}\nbroken\n"
      "{\"train_loss\": 2, \"train_runtime\": 1, \"step\": 1}\n");
  ExpectRestartsAnywhere("{\"loss\": 2, \"step\": 1}\n{\"train_loss\": 2, \"step\": 2}\n");
  ExpectRestartsAnywhere("x\n{\"loss\": 2, \"step\": 1}\n", HintsWithFormat("jsonl"));
}

TEST(LogParserStateTest, Megatron) {
  ExpectRestartsAnywhere(
      " iteration 7/ 10 | consumed samples: 14 | lm loss: 1.0 |\n"
      "times across ranks (ms):\n  forward:\n     rank  0: 10.50\n     rank  1: 1.00\n"
      "(min, max) time across ranks (ms):\n    optimizer: (1.00, 2.00)\n"
      "max time across ranks (ms):\n    optimizer: 3.00\nhello\n    optimizer: 4.00\n");
}

TEST(LogParserStateTest, HuggingFaceStdout) {
  ExpectRestartsAnywhere(
      "{'loss': 4}\n\r1%|| 20/520 [\n1%|| 30/520 [\n{'loss': 3}\n{'loss': 2}\n50%|| 2/4 [\n"
      "{'eval_loss': 2}\n");
  LogHints hints = HintsWithFormat("hf_stdout");
  hints.logging_steps = 5;
  ExpectRestartsAnywhere(
      "3: Continuing training from global step 100\n2026-03-02T09:00:00.500000000Z 3: {'loss': 4}\n"
      "{'loss': 3}\n",
      hints);
}

TEST(LogParserStateTest, NcclAndStragglers) {
  ExpectRestartsAnywhere(
      "n0:42:43 [1] NCCL INFO comm 0x5 rank 3 nRanks 4\n"
      "n0:52:53 [1] NCCL INFO comm 0x5 rank 1 nRanks 4\n"
      "n0:42:99 [1] NCCL INFO Broadcast: opCount f count 8 datatype 9 comm 0x5 [\n"
      "n0:52:99 [1] NCCL INFO Broadcast: opCount f count 8 datatype 9 comm 0x5 [\n");
  ExpectRestartsAnywhere(
      "# Collective test starting: alltoall_perf\n# Out of bounds values : 0 OK\n");
  ExpectRestartsAnywhere(" Rank=2 Score=0.5\nGPU relative performance:\n Rank=2 Score=0.5\n",
                         HintsWithFormat("nvrx"));
  ExpectRestartsAnywhere("GPU individual performance:\n Rank=2 Score=0.5\n",
                         HintsWithFormat("nvrx"));
}

TEST(LogParserStateTest, Attempts) {
  LogHints hints;
  hints.attempt = 4;
  ExpectRestartsAnywhere(
      "0: {\"step\": 3, \"loss\": 1}\n1: {\"step\": 2, \"tokens_seen\": 9}\nResuming from x\n"
      "0: {\"step\": 4, \"loss\": NaN}\n1: {\"step\": 1, \"a\": {\"b\": 2}}\n1: Resuming from x\n"
      "1: {\"step\": 2, \"loss\": 1}\n1: {\"step\": 2, \"lr\": 1}\n0: {\"step\": 5, \"loss\": 1}\n",
      hints);
}

TEST(LogParserStateTest, BeforeTheFormatIsKnown) {
  ExpectRestartsAnywhere("starting\n\n \nstep,loss\n1,2\n iteration 1/ 9 | lm loss: 1 |\n");
  // NCCL's lines may turn out to be a part of another log.
  ExpectRestartsAnywhere("n:1:1 [0] NCCL INFO x\n iteration 1/ 9 | lm loss: 1 |\n");
}

TEST(LogParserStateTest, OnlyTheFirstLineIsTheHeaderOfATable) {
  TextSink sink;
  auto parser = NewParser({}, sink);
  for (size_t i = 0; i < kMaxSniffedLines; ++i) parser->Feed("x\n");
  std::string state;
  ASSERT_TRUE(parser->AppendState(state));
  parser = NewParser({}, sink);
  ASSERT_TRUE(parser->LoadState(state));
  EXPECT_EQ(parser->counts().lines, kMaxSniffedLines);
  parser->Feed("step,loss\n1,2\n");
  EXPECT_EQ(parser->format_name(), "");
  EXPECT_EQ(sink.text(), "");
}

TEST(LogParserStateTest, NotInsideADocumentOrALineThatIsCut) {
  EXPECT_EQ(ExpectSameWithRestarts("{\n\"log_history\": [{\"loss\": 2, \"step\": 1}]\n}\n \n",
                                   HintsWithFormat("hf_trainer_state")),
            // The first two bytes, which are a line only with the second one; and behind the end.
            2u + 3u);
}

TEST(LogParserStateTest, OffsetsGoOnBehindALineThatWasCut) {
  const std::string head = "{\"step\": 1, \"loss\": 2}\n";
  const std::string log =
      head + std::string(kMaxLineBytes + 5000, 'x') + "\n" + head + "y\n" + head;
  const LogHints hints = HintsWithFormat("jsonl");
  const ParsedLog whole = ParseLog(log, hints);
  ASSERT_EQ(whole.counts.rejected, 2u);
  size_t refused_count = 0;
  for (const size_t cut :
       {head.size() + 10, head.size() + kMaxLineBytes, head.size() + kMaxLineBytes + 1,
        head.size() + kMaxLineBytes + 4999, log.size() - 2 * head.size() - 2,
        log.size() - head.size() - 2, log.size() - head.size() - 1, log.size() - head.size()}) {
    TextSink sink;
    auto parser = NewParser(hints, sink);
    for (size_t at = 0; at < cut; at += 1000) {
      parser->Feed(std::string_view(log).substr(at, std::min<size_t>(1000, cut - at)));
    }
    std::string state;
    std::string rejections;
    const auto note = [&rejections, &parser] {
      for (const RejectedLine& line : parser->TakeRejections()) {
        absl::StrAppendFormat(&rejections, "%d @%d: %s\n", line.number, line.offset, line.reason);
      }
    };
    note();
    if (parser->AppendState(state)) {
      EXPECT_LE(state.size(), kMaxLineBytes + 1000);
      parser = NewParser(hints, sink);
      EXPECT_TRUE(parser->LoadState(state)) << cut;
    } else {
      ++refused_count;
    }
    parser->Feed(std::string_view(log).substr(cut));
    parser->Finish();
    note();
    EXPECT_EQ(sink.text(), whole.records) << cut;
    EXPECT_EQ(rejections, whole.rejections) << cut;
    EXPECT_EQ(parser->counts().bytes, log.size()) << cut;
  }
  // Twice in the part that is skipped.
  EXPECT_EQ(refused_count, 2u);
}

TEST(LogParserStateTest, DamagedStatesAreRefused) {
  for (const std::string_view log :
       {"starting\n", "loss,step\n2,1\n", "Step,a - loss\n1,2\n", "{\"loss\": 2, \"step\": 1}\n",
        " iteration 1/ 9 | lm loss: 1 |\ntimes across ranks (ms):\n  forward:\n",
        "1%|| 20/520 [\n{'loss': 4}\n{'loss': 3}\n",
        "n0:42:43 [1] NCCL INFO comm 0x5 rank 3 nRanks 4\n",
        "# Collective test starting: x\n# size count type time algbw busbw #wrong\n",
        "GPU relative performance:\n"}) {
    TextSink sink;
    const auto parser = NewParser({}, sink);
    parser->Feed(log);
    std::string state;
    ASSERT_TRUE(parser->AppendState(state)) << log;
    EXPECT_TRUE(NewParser({}, sink)->LoadState(state)) << log;
    EXPECT_FALSE(NewParser({}, sink)->LoadState(state + '\0')) << log;
    for (size_t size = 0; size < state.size(); ++size) {
      EXPECT_FALSE(NewParser({}, sink)->LoadState(std::string_view(state).substr(0, size)))
          << log << size;
    }
  }
}

TEST(LogParserStateTest, AnUnknownFormatIsRefused) {
  TextSink sink;
  const auto parser = NewParser({}, sink);
  parser->Feed("{\"loss\": 2, \"step\": 1}\n");
  std::string state;
  ASSERT_TRUE(parser->AppendState(state));
  const size_t name = state.find("jsonl");
  ASSERT_NE(name, state.npos);
  EXPECT_FALSE(NewParser({}, sink)->LoadState(state.replace(name, 5, "jsonx")));
}

}  // namespace
}  // namespace lockstep::logs
