// Hugging Face's Trainer: its standard output and its state file.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser.h"
#include "ingest/logs/log_parser_testing.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

std::string StdoutOf(std::string_view log, int64_t logging_steps = 0) {
  LogHints hints;
  hints.format = "hf_stdout";
  hints.logging_steps = logging_steps;
  const ParsedLog parsed = ParseLog(log, hints);
  EXPECT_EQ(parsed.rejections, "") << log;
  return parsed.records;
}

TEST(HuggingFaceStdoutTest, ABarWithoutItsNumbersIsNone) {
  constexpr std::string_view kBar = "  1%|  | 10/520 [00:30<--:--]\n";
  EXPECT_EQ(StdoutOf(std::string(kBar) + "{'loss': 3}\n"), "step step=10 train_loss=3\n");
  for (const std::string_view line :
       {"x%|  | 20/520 [00:30]", "1 |  | 20/520 [00:30]", "1%|", "1%|  | x/520 [00:30]",
        "1%|  | 20 of 520 [00:30]", "1%|  | 20/x [00:30]", "1%|  | 20/520 (00:30)"}) {
    // Like any other line, it comes between the bar and the dictionary.
    EXPECT_EQ(StdoutOf(absl::StrFormat("%s%s\n{'loss': 3}\n", kBar, line)), "step train_loss=3\n")
        << line;
  }
}

TEST(HuggingFaceStdoutTest, BlanksEraseABarAndAnEmptyLineDoesNot) {
  EXPECT_EQ(StdoutOf("1%|| 10/520 [\n   \n{'loss': 3}\n"), "step train_loss=3\n");
  EXPECT_EQ(StdoutOf("1%|| 10/520 [\n\n{'loss': 3}\n"), "step step=10 train_loss=3\n");
}

TEST(HuggingFaceStdoutTest, BarsOfEvaluationsHaveAnotherTotal) {
  EXPECT_EQ(StdoutOf("1%|| 10/520 [\n50%|| 2/4 [\n{'loss': 3}\n"), "step step=10 train_loss=3\n");
}

TEST(HuggingFaceStdoutTest, OnlyABarAfterACarriageReturnIsDrawnAgain) {
  EXPECT_EQ(StdoutOf("{'loss': 3}\n\r1%|| 20/520 [\n"), "step step=20 train_loss=3\n");
  EXPECT_EQ(StdoutOf("{'loss': 3}\n1%|| 20/520 [\n"), "step train_loss=3\n");
  // Something else came between.
  EXPECT_EQ(StdoutOf("{'loss': 3}\nhello\n\r1%|| 20/520 [\n"), "step train_loss=3\n");
  // It is better than counting dictionaries.
  EXPECT_EQ(StdoutOf("{'loss': 3}\n\r1%|| 3/520 [\n{'loss': 2}\n", 5),
            "step step=3 train_loss=3\nstep step=10 train_loss=2\n");
}

TEST(HuggingFaceStdoutTest, StepsGoOnAsTheyDidLast) {
  EXPECT_EQ(StdoutOf("1%|| 10/520 [\n{'loss': 4}\n1%|| 15/520 [\n{'loss': 3}\n{'loss': 2}\n"
                     "{'loss': 1}\n"),
            "step step=10 train_loss=4\nstep step=15 train_loss=3\n"
            "step step=20 train_loss=2\nstep step=25 train_loss=1\n");
}

TEST(HuggingFaceStdoutTest, TheKindOfADictionary) {
  EXPECT_EQ(StdoutOf("{'loss': 1, 'eval_loss': 2}\n{'epoch': 1.5}\n{'eval_x': 1}\n"
                     "{'total_flos': 5}\n{'train_runtime': 5}\n"),
            "step train_loss=1 validation_loss=2\nstep epoch=1.5\nevaluation validation_x=1\n"
            "summary train_flops_total=5\nsummary train_runtime_seconds=5\n");
}

TEST(HuggingFaceStdoutTest, ItemsAreQuotedEitherWay) {
  EXPECT_EQ(StdoutOf("{'loss': '3', \"epoch\": \"0.5\",'grad_norm':2}\n"),
            "step train_loss=3 epoch=0.5 train_grad_norm=2\n");
  EXPECT_EQ(StdoutOf("{'loss': '3' , 'a': '', '': 5 , 'epoch': 0.5}\n"),
            "step train_loss=3 epoch=0.5\n");
  // Without a number, an item has no value.
  EXPECT_EQ(StdoutOf("{'loss': '3', 'a': 'x', 'b': 3 4, 'c': None}\n"), "step train_loss=3\n");
}

TEST(HuggingFaceStdoutTest, ADictionaryMayNameItsStep) {
  EXPECT_EQ(StdoutOf("{'loss': 3, 'step': 7}\n{'loss': 2, 'step': 9}\n{'loss': 1}\n", 5),
            "step step=7 train_loss=3\nstep step=9 train_loss=2\n"
            "step attempt=1 step=5 train_loss=1\n");
}

TEST(HuggingFaceStdoutTest, DamagedDictionaries) {
  constexpr std::string_view kNoItem =
      "1 @0: a dictionary with an item that is not 'name': value\n";
  for (const std::string_view line :
       {"{'loss': 3, epoch: 1}", "{'loss': 3, 'epoch}", "{'loss' 3}", "{'loss': '3' 4}", "{'}"}) {
    EXPECT_EQ(ParseLogAs("hf_stdout", std::string(line) + "\n").rejections, kNoItem) << line;
  }
  const ParsedLog empty = ParseLogAs("hf_stdout", "{'a': 'x'}\n");
  EXPECT_EQ(empty.records, "");
  EXPECT_EQ(empty.counts.ignored, 1u);
}

TEST(HuggingFaceStdoutTest, AResumptionWithoutAStepIsNone) {
  const std::string event = "event checkpoint_loaded: Continuing training from global step x\n";
  EXPECT_EQ(StdoutOf("Continuing training from global step x\n{'loss': 3}\n", 5),
            event + "step step=5 train_loss=3\n");
}

TEST(HuggingFaceStdoutTest, TokensPlaceARecordWithoutAStep) {
  EXPECT_EQ(StdoutOf("{'loss': 3, 'num_input_tokens_seen': 200}\n"
                     "{'loss': 2, 'num_input_tokens_seen': 100}\n"),
            "step train_loss=3 train_tokens_total=200\n"
            "step attempt=1 train_loss=2 train_tokens_total=100\n");
}

ParsedLog StateOf(std::string_view log) { return ParseLogAs("hf_trainer_state", log); }

TEST(TrainerStateTest, TextsMayHaveBracesAndQuotes) {
  const ParsedLog parsed = StateOf(
      "{\n\"a\": \"}]\\\"}\",\n\"b\\\\\": \"[{\",\n"
      "\"log_history\": [{\"loss\": 2, \"step\": 1}]\n}\n");
  EXPECT_EQ(parsed.records, "step step=1 train_loss=2\n");
  EXPECT_EQ(parsed.rejections, "");
}

TEST(TrainerStateTest, AnotherDocumentMayFollow) {
  const std::string one = "{\"log_history\": [{\"loss\": 2, \"step\": 1}]}\n";
  const ParsedLog parsed = StateOf(one + " \n{\n" + one.substr(1));
  EXPECT_EQ(parsed.records, "step step=1 train_loss=2\n+step step=1 train_loss=2\n");
  EXPECT_EQ(parsed.counts.ignored, 1u);  // the empty line
}

TEST(TrainerStateTest, DamagedDocuments) {
  const auto reason = [](simdjson::error_code error) {
    return absl::StrFormat("1 @0: %s\n", simdjson::error_message(error));
  };
  EXPECT_EQ(StateOf("x\n").rejections, "1 @0: the document does not begin with '{'\n");
  EXPECT_EQ(StateOf("{}\n").rejections, reason(simdjson::NO_SUCH_FIELD));
  EXPECT_EQ(StateOf("{\"log_history\": [1]}\n").rejections, reason(simdjson::INCORRECT_TYPE));
  const ParsedLog some = StateOf("{\"log_history\": [{\"loss\": 2, \"step\": 1}, {\"a\": tru}]}\n");
  EXPECT_EQ(some.records, "step step=1 train_loss=2\n");
  EXPECT_EQ(some.rejections, "1 @0: a value that is not valid JSON\n");
}

TEST(TrainerStateTest, ADocumentOverTheLimitIsDropped) {
  const std::string one = "{\"log_history\": [{\"loss\": 2, \"step\": 1}]}\n";
  std::string log = "{\n";
  const std::string line = std::string(kMaxLineBytes - 1, ' ') + "\n";
  // Exactly at the limit with the last line end.
  for (size_t size = 2; size + line.size() <= kMaxDocumentBytes - 2; size += line.size())
    log += line;
  const ParsedLog parsed = StateOf(log + line + one);
  EXPECT_EQ(parsed.rejections,
            absl::StrFormat("17 @%d: a document over the limit of 16 MiB\n", log.size()));
  EXPECT_EQ(parsed.records, "step step=1 train_loss=2\n");
  // One that is a byte below the limit is not.
  const std::string end = "\"log_history\": []}";
  const std::string filled =
      log + std::string(kMaxDocumentBytes - 1 - log.size() - end.size(), ' ') + end;
  EXPECT_EQ(StateOf(filled + "\n").rejections, "");
  EXPECT_EQ(StateOf(filled + " \n").rejections,
            absl::StrFormat("17 @%d: a document over the limit of 16 MiB\n", log.size()));
}

TEST(TrainerStateTest, TheMemoryOfALargeDocumentIsFreed) {
  TextSink sink;
  LogHints hints;
  hints.format = "hf_trainer_state";
  auto parser = LogParser::New(hints, sink);
  ASSERT_TRUE(parser.ok());
  (*parser)->Feed("{\n");
  const size_t before = (*parser)->held_bytes();
  const std::string line = std::string(999, ' ') + "\n";
  for (int i = 0; i < 1000; ++i) (*parser)->Feed(line);
  EXPECT_GE((*parser)->held_bytes(), before + 900'000);
  (*parser)->Feed("}\n");
  EXPECT_LE((*parser)->held_bytes(), before + 100'000);
}

}  // namespace
}  // namespace lockstep::logs
