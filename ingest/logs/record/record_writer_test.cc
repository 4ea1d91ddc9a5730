// Records from fields and values: RecordFields and RecordWriter.
#include "ingest/logs/record/record_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser_testing.h"
#include "ingest/logs/record/log_limits.h"
#include "ingest/logs/record/record_fields.h"

namespace lockstep::logs {
namespace {

constexpr std::array kWriterSources = {MetricSource::kGeneric};

// As RecordText(), with what it leaves out.
class DetailSink : public LogSink {
 public:
  void Take(const LogRecord& record) override {
    text_.append(RecordText(record));
    if (!record.job.empty()) absl::StrAppendFormat(&text_, " job=%s", record.job);
    if (record.kind == RecordKind::kEvent && !record.run.empty()) {
      absl::StrAppendFormat(&text_, " run=%s", record.run);
    }
    if (record.consumed_tokens)
      absl::StrAppendFormat(&text_, " tokens=%d", *record.consumed_tokens);
    absl::StrAppendFormat(&text_, " @%d\n", record.offset);
  }
  std::string Text() { return std::exchange(text_, ""); }

 private:
  std::string text_;
};

class RecordWriterTest : public testing::Test {
 protected:
  const MetricKey* Key(std::string_view name) { return keys_.Find(name); }
  void Begin(uint64_t offset, RecordKind kind = RecordKind::kStep) {
    line_.offset = offset;
    out_.Begin(line_, kind);
    fields_.Begin();
  }
  void Number(std::string_view name, double number) { fields_.TakeNumber(Key(name), number, out_); }
  void Text(std::string_view name, std::string_view text) {
    fields_.TakeText(Key(name), text, out_);
  }
  std::string Emitted(RepeatedStep repeated = RepeatedStep::kContinues) {
    out_.Emit(repeated);
    return sink_.Text();
  }

  LogHints hints_;
  DetailSink sink_;
  RecordWriter out_{hints_, sink_};
  KeyCache keys_{kWriterSources};
  RecordFields fields_;
  LogLine line_;
};

TEST_F(RecordWriterTest, ARecordHasNothingOfTheOneBeforeIt) {
  line_.rank = 3;
  line_.time_ms = 5;
  Begin(7);
  Number("step", 1);
  Number("attempt", 9);
  Number("tokens_seen", 50);
  Number("consumed_samples", 60);
  Text("job", "j");
  Text("run", "r");
  Text("node", "n");
  Number("loss", 2);
  EXPECT_EQ(Emitted(),
            "step rank=3 attempt=9 step=1 samples=60 time=5 run=r node=n train_tokens_total=50 "
            "train_samples_total=60 train_loss=2 job=j tokens=50 @7\n");
  line_ = LogLine();
  Begin(8);
  EXPECT_EQ(Emitted(), "step @8\n");
}

TEST_F(RecordWriterTest, WhatIsBegunAndNotEmittedIsDropped) {
  Begin(1);
  Number("step", 1);
  out_.Add(nullptr, 1);
  Begin(2);
  Number("step", 2);
  EXPECT_EQ(Emitted(), "step step=2 @2\n");
  EXPECT_EQ(out_.counts().dropped_values, 0u);
  EXPECT_EQ(out_.counts().of(RecordKind::kStep), 1u);
}

TEST_F(RecordWriterTest, TheBestStepWins) {
  constexpr std::string_view kBestFirst[] = {"trainer/global_step",
                                             "train/global_step",
                                             "global_step",
                                             "global_steps",
                                             "step",
                                             "iteration",
                                             "iter",
                                             "it",
                                             "_step"};
  for (size_t i = 0; i + 1 < std::size(kBestFirst); ++i) {
    Begin(i);
    Number(kBestFirst[i], 10);
    Number(kBestFirst[i + 1], 20);
    EXPECT_EQ(Emitted().substr(0, 12), i == 0 ? "step step=10" : "+step step=1") << i;
    Begin(i);
    Number(kBestFirst[i + 1], 20);
    Number(kBestFirst[i], 10);
    EXPECT_EQ(Emitted().substr(0, 13), "+step step=10") << i;
  }
  // The first of two equal ones.
  Begin(1);
  Number("step", 10);
  Number("step", 11);
  EXPECT_EQ(Emitted(), "+step step=10 @1\n");
}

TEST_F(RecordWriterTest, StepsAreWholeNumbers) {
  const auto step = [this](double number) {
    Begin(0);
    Number("step", number);
    return out_.has_step();
  };
  EXPECT_TRUE(step(-3));
  EXPECT_TRUE(step(0x1p53));
  EXPECT_FALSE(step(0x1p53 + 2));
  EXPECT_FALSE(step(-0x1p53 - 2));
  EXPECT_FALSE(step(1.5));
  EXPECT_FALSE(step(std::numeric_limits<double>::quiet_NaN()));
}

TEST_F(RecordWriterTest, RanksAndAttemptsAreNotNegative) {
  const auto emitted = [this](std::string_view name, double number) {
    Begin(0);
    Number(name, number);
    return Emitted();
  };
  EXPECT_EQ(emitted("rank", 0), "step rank=0 @0\n");
  EXPECT_EQ(emitted("rank", std::numeric_limits<int32_t>::max()), "step rank=2147483647 @0\n");
  for (const double number : {-1.0, 2147483648.0, -1e10, 1e10}) {
    EXPECT_EQ(emitted("rank", number), "step @0\n") << number;
    EXPECT_EQ(emitted("attempt", number), "step @0\n") << number;
  }
  EXPECT_EQ(emitted("attempt", 1), "step attempt=1 @0\n");
  EXPECT_EQ(emitted("restart_count", kMaxAttempts), "step attempt=1000 @0\n");
  EXPECT_EQ(emitted("attempt", kMaxAttempts + 1), "step @0\n");
  // What has no meaning here is no value either.
  EXPECT_EQ(emitted("pid", 4242), "step @0\n");
  EXPECT_EQ(emitted("job", 4242), "step @0\n");
}

TEST_F(RecordWriterTest, TimesAreNumbersOrTexts) {
  hints_.utc_offset_s = 3600;
  Begin(0);
  Number("ts", 1772442000);
  EXPECT_EQ(Emitted(), "step time=1772442000000 @0\n");
  Begin(0);
  Number("ts", 5);
  EXPECT_EQ(Emitted(), "step ts=5 @0\n");
  for (const std::string_view text :
       {"2026-03-02 10:00:00", "2026-03-02T09:00:00Z", "1772442000", " 1772442000000 "}) {
    Begin(0);
    Text("ts", text);
    EXPECT_EQ(Emitted(), "step time=1772442000000 @0\n") << text;
  }
  Begin(0);
  Text("ts", "yesterday");
  EXPECT_EQ(Emitted(), "step @0\n");
}

TEST_F(RecordWriterTest, TextsByTheirRoles) {
  Begin(0);
  Text("step", "12");
  Text("rank", " 3");
  Text("attempt", "2");
  Text("SLURM_JOB_ID", "77");
  Text("run_name", "r");
  Text("hostname", "n");
  Text("loss", "2.5");
  Text("lr", "NaN");
  Text("pid", "4");
  Text("message", "hello");
  EXPECT_EQ(fields_.event_text(), "hello");
  EXPECT_EQ(Emitted(),
            "event rank=3 attempt=2 step=12 nan: lr job=77 run=r @0\n"
            "step rank=3 attempt=2 step=12 run=r node=n train_learning_rate=NaN job=77 @0\n");
  // Each text alone sets one thing.
  for (const auto& [name, record] : {std::pair{"job", "step job=x @1\n"},
                                     {"run", "step run=x @1\n"},
                                     {"host", "step node=x @1\n"},
                                     {"message", "step @1\n"},
                                     {"pid", "step @1\n"},
                                     {"loss", "step @1\n"},
                                     {"step", "step @1\n"},
                                     {"ts", "step @1\n"}}) {
    Begin(1);
    EXPECT_EQ(fields_.event_text(), "");
    Text(name, "x");
    EXPECT_EQ(fields_.event_text(), std::string_view(name) == "message" ? "x" : "");
    EXPECT_EQ(Emitted(), record) << name;
  }
}

TEST_F(RecordWriterTest, BareWordsOfJson) {
  const auto word = [](std::string_view text) {
    const auto number = NumberOfBareWord(text);
    return number.has_value() ? absl::StrFormat("%g", *number) : "";
  };
  EXPECT_EQ(word("NaN"), "nan");
  EXPECT_EQ(word("NaN  "), "nan");
  EXPECT_EQ(word("Infinity "), "inf");
  EXPECT_EQ(word("-Infinity"), "-inf");
  for (const std::string_view text : {"", " ", "nan", "inf", "Infinit", "+Infinity", "null"}) {
    EXPECT_EQ(word(text), "") << text;
  }
}

TEST_F(RecordWriterTest, LabelsAndValuesAreLimited) {
  Begin(0);
  for (const std::string_view name : {"a", "b", "c", "d", "e"}) out_.AddLabel(name, "1");
  EXPECT_EQ(Emitted(), "step a=1 b=1 c=1 d=1 @0\n");
  Begin(0);
  for (size_t i = 0; i < kMaxValuesPerRecord; ++i) out_.Add(Key("loss"), 1);
  EXPECT_EQ(out_.values().size(), kMaxValuesPerRecord);
  out_.Add(Key("loss"), 1);
  out_.Add(nullptr, 1);
  EXPECT_EQ(out_.values().size(), kMaxValuesPerRecord);
  EXPECT_EQ(out_.counts().dropped_values, 0u);
  Emitted();
  EXPECT_EQ(out_.counts().dropped_values, 2u);
  EXPECT_EQ(out_.counts().values, kMaxValuesPerRecord);
  Begin(0);
  out_.Add(nullptr, 1);
  out_.CountDropped();
  EXPECT_EQ(out_.counts().dropped_values, 3u);
  Emitted();
  EXPECT_EQ(out_.counts().dropped_values, 3u);
}

TEST_F(RecordWriterTest, OnlyStepsReportWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Begin(0);
  Number("step", 1);
  Number("loss", 1);
  Number("grad_norm", nan);
  Number("lr", nan);
  EXPECT_EQ(Emitted(),
            "event step=1 nan: grad_norm @0\n"
            "step step=1 train_loss=1 train_grad_norm=NaN train_learning_rate=NaN @0\n");
  EXPECT_EQ(out_.counts().of(RecordKind::kEvent), 1u);
  Begin(1, RecordKind::kMeasurement);
  Number("loss", nan);
  EXPECT_EQ(Emitted(), "measurement train_loss=NaN @1\n");
  EXPECT_EQ(out_.counts().of(RecordKind::kEvent), 1u);
  // The event of a continuation is none itself.
  Begin(2);
  Number("step", 1);
  Number("loss", nan);
  EXPECT_EQ(Emitted(), "event step=1 nan: loss @2\n+step step=1 train_loss=NaN @2\n");
  EXPECT_EQ(out_.counts().of(RecordKind::kStep), 1u);
}

TEST_F(RecordWriterTest, WithoutAStepSamplesOrTokensPlaceARecord) {
  const auto emitted = [this](std::string_view name, double number) {
    Begin(0);
    Number(name, number);
    return Emitted().substr(0, 15);
  };
  EXPECT_EQ(emitted("tokens_seen", 50), "step train_toke");
  EXPECT_EQ(emitted("tokens_seen", 49), "step attempt=1 ");
  EXPECT_EQ(emitted("consumed_samples", 48), "step attempt=2 ");
  EXPECT_EQ(out_.counts().repeated_steps, 2u);
  // A step is better than samples, and samples than tokens.
  Begin(0);
  Number("tokens_seen", 1);
  Number("consumed_samples", 49);
  EXPECT_EQ(Emitted().substr(0, 15), "step attempt=2 ");
  Begin(0);
  Number("step", 50);
  Number("consumed_samples", 1);
  EXPECT_EQ(Emitted().substr(0, 15), "step attempt=2 ");
}

TEST_F(RecordWriterTest, CountsAreFromZeroToATrillionMillions) {
  const auto emitted = [this](double number) {
    Begin(0);
    Number("consumed_samples", number);
    const std::string text = Emitted();
    return text.substr(0, text.find(" train"));
  };
  EXPECT_EQ(emitted(0), "step samples=0");
  EXPECT_EQ(emitted(1e18), "step samples=1000000000000000000");
  EXPECT_EQ(emitted(1.0000000000000002e18), "step");
  EXPECT_EQ(emitted(-1), "step");
}

TEST_F(RecordWriterTest, OnlyStepsAreAttempted) {
  Begin(0);
  Number("step", 5);
  Emitted();
  Begin(1, RecordKind::kEvaluation);
  Number("step", 4);
  EXPECT_EQ(Emitted(), "evaluation step=4 @1\n");
  Begin(2);
  Number("step", 4);
  EXPECT_EQ(Emitted(), "step attempt=1 step=4 @2\n");
  EXPECT_EQ(out_.counts().repeated_steps, 1u);
  // A continuation does not repeat it once more.
  Begin(3);
  Number("step", 4);
  EXPECT_EQ(Emitted(), "+step attempt=1 step=4 @3\n");
  EXPECT_EQ(out_.counts().repeated_steps, 1u);
  // Without a place, a record is of the rank's current attempt.
  Begin(4, RecordKind::kMeasurement);
  EXPECT_EQ(Emitted(), "measurement attempt=1 @4\n");
  line_.rank = 2;
  Begin(5, RecordKind::kMeasurement);
  EXPECT_EQ(Emitted(), "measurement rank=2 @5\n");
}

TEST_F(RecordWriterTest, AContinuationHasThePlaceOfTheRecordBefore) {
  line_.time_ms = 9;
  Begin(0, RecordKind::kEvaluation);
  Number("step", 5);
  Number("attempt", 3);
  Number("tokens_seen", 50);
  Number("consumed_samples", 60);
  Emitted();
  line_ = LogLine();
  line_.rank = 2;
  Begin(1);
  Number("loss", 2);
  out_.EmitContinuation();
  EXPECT_EQ(sink_.Text(),
            "+evaluation rank=2 attempt=3 step=5 samples=60 time=9 train_loss=2 tokens=50 @1\n");
  EXPECT_EQ(out_.counts().of(RecordKind::kEvaluation), 1u);
  EXPECT_EQ(out_.counts().values, 3u);
  // Unless it has a time of its own.
  line_.time_ms = 11;
  Begin(2);
  out_.EmitContinuation();
  EXPECT_EQ(sink_.Text(), "+evaluation rank=2 attempt=3 step=5 samples=60 time=11 tokens=50 @2\n");
}

TEST_F(RecordWriterTest, ARepeatedStepHasTheTimeOfTheFirstLine) {
  line_.time_ms = 9;
  Begin(0);
  Number("step", 5);
  Emitted();
  line_.time_ms.reset();
  Begin(1);
  Number("step", 5);
  EXPECT_EQ(Emitted(), "+step step=5 time=9 @1\n");
  line_.time_ms = 10;
  Begin(2);
  Number("step", 5);
  EXPECT_EQ(Emitted(), "+step step=5 time=10 @2\n");
  line_.time_ms.reset();
  Begin(3);
  Number("step", 6);
  EXPECT_EQ(Emitted(), "step step=6 @3\n");
}

TEST_F(RecordWriterTest, EventsAreOfTheirLine) {
  hints_.rank = 4;
  Begin(0);
  Number("step", 5);
  Emitted();
  Begin(1);
  Number("step", 4);
  EXPECT_EQ(Emitted(), "step rank=4 attempt=1 step=4 @1\n");
  line_.offset = 2;
  line_.time_ms = 9;
  out_.EmitEvent(line_, "crash", "x");
  line_.rank = 7;
  out_.EmitEvent(line_, "crash", "y");
  EXPECT_EQ(sink_.Text(),
            "event rank=4 attempt=1 step=4 time=9 crash: x @2\n"
            "event rank=7 step=4 time=9 crash: y @2\n");
  EXPECT_EQ(out_.counts().of(RecordKind::kEvent), 2u);
  // A rank's line restarts that rank; one without a rank all of them, also those of hints.
  out_.Restart(line_);
  Begin(3);
  Number("step", 5);
  EXPECT_EQ(Emitted(), "step rank=7 step=5 time=9 @3\n");
  line_ = LogLine();
  Begin(4);
  Number("step", 5);
  EXPECT_EQ(Emitted(), "step rank=4 attempt=1 step=5 @4\n");
  out_.Restart(line_);
  Begin(5);
  Number("step", 6);
  EXPECT_EQ(Emitted(), "step rank=4 attempt=2 step=6 @5\n");
}

}  // namespace
}  // namespace lockstep::logs
