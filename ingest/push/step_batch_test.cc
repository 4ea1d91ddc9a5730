#include "ingest/push/step_batch.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "ingest/logs/log_parser.h"
#include "ingest/push/push_limits.h"
#include "ingest/push/stored_samples_testing.h"

namespace lockstep::push {
namespace {

constexpr IngestLimits kStepBatchLimits;

struct Batched {
  std::string samples;
  uint64_t refused_count;
  uint64_t refused_cases;
};

Batched BatchOf(std::string_view log, const logs::LogHints& hints) {
  StepBatch batch(hints, kStepBatchLimits);
  batch.set_arrival_ms(5000);
  auto parser = logs::LogParser::New(hints, batch);
  LOCKSTEP_CHECK(parser.ok());
  (*parser)->Feed(log);
  (*parser)->Finish();
  StoredSamples stored;
  stored.Write(batch.TakeRequest());
  const Refusals refusals = batch.TakeRefusals();
  return {stored.text(), refusals.sample_count(), refusals.count()};
}

void Check(std::string_view log, std::string_view samples) {
  logs::LogHints hints;
  hints.job = "j";
  hints.run = "r";
  const Batched batched = BatchOf(log, hints);
  EXPECT_EQ(batched.samples, samples) << log;
  EXPECT_EQ(batched.refused_count, 0u) << log;
}

TEST(StepBatchTest, ValuesAndTheirSteps) {
  Check(R"({"step": 7, "ts_ms": 1000000000000, "rank": 3, "loss": 2.5, "step_ms": 250})",
        R"(lockstep_step{attempt="0", job="j", rank="3", run="r"} 7@1000000000000)"
        "\n"
        R"(train_loss{attempt="0", job="j", rank="3", run="r"} 2.5@1000000000000)"
        "\n"
        R"(train_step_time_seconds{attempt="0", job="j", rank="3", run="r"} 0.25@1000000000000)"
        "\n");
  // A line may set its own job and run; its node becomes a label.
  Check(R"({"ts_ms": 1000000000000, "job": "k", "run_id": "s", "host": "n1", "loss": 2})",
        R"(train_loss{attempt="0", job="k", node="n1", run="s"} 2@1000000000000)"
        "\n");
}

TEST(StepBatchTest, LongLabelsOfARecordAreRefusedWithAllItsValues) {
  const auto refused = [](size_t job_bytes) {
    const std::string line = absl::StrFormat(R"({"step": 7, "job": "%s", "loss": 2, "lr": 1})",
                                             std::string(job_bytes, 'j'));
    const Batched batched = BatchOf(line, {});
    return std::pair(batched.refused_count, batched.refused_cases);
  };
  EXPECT_EQ(refused(kStepBatchLimits.max_label_value_bytes), std::pair(uint64_t{0}, uint64_t{0}));
  // Refused before a series is created for each.
  EXPECT_EQ(refused(kStepBatchLimits.max_label_value_bytes + 1),
            std::pair(uint64_t{3}, uint64_t{1}));
}

TEST(StepBatchTest, LabelsOfTheMetric) {
  Check(
      " iteration 1/ 9 | lm loss: nan |\nmax time across ranks (ms):\n    optimizer ....: 250.0\n",
      R"(lockstep_event{attempt="0", event="nan", job="j", run="r"} 1@5000)"
      "\n"
      R"(lockstep_step{attempt="0", job="j", run="r"} 1@5000)"
      "\n"
      R"(train_loss{attempt="0", job="j", run="r"} NaN@5000)"
      "\n"
      R"(train_phase_seconds{agg="max", attempt="0", job="j", phase="optimizer", run="r"} )"
      R"(0.25@5000)"
      "\n");
}

// Steps without times start at their arrival, a millisecond apart; all ranks share a step's time.
TEST(StepBatchTest, StepsWithoutTimesAndAttempts) {
  Check(
      "0: {\"step\": 1, \"a\": 1}\n1: {\"step\": 1, \"a\": 2}\n0: {\"step\": 2, \"a\": 3}\n"
      "0: {\"step\": 1, \"a\": 4}\n",
      R"(a{attempt="0", job="j", rank="0", run="r"} 1@5000 3@5001)"
      "\n"
      R"(a{attempt="0", job="j", rank="1", run="r"} 2@5000)"
      "\n"
      R"(a{attempt="1", job="j", rank="0", run="r"} 4@5002)"
      "\n"
      R"(lockstep_step{attempt="0", job="j", rank="0", run="r"} 1@5000 2@5001)"
      "\n"
      R"(lockstep_step{attempt="0", job="j", rank="1", run="r"} 1@5000)"
      "\n"
      R"(lockstep_step{attempt="1", job="j", rank="0", run="r"} 1@5002)"
      "\n");
}

// Lines of "rank step time", and the times of rank 0's steps in lockstep_step.
void CheckStepTimes(std::string_view lines, std::string_view steps) {
  std::string log;
  for (const auto line : absl::StrSplit(std::string(lines), ';')) {
    int rank = 0, step = 0, time_ms = 0;
    ASSERT_EQ(std::sscanf(std::string(line).c_str(), "%d %d %d", &rank, &step, &time_ms), 3);
    log += absl::StrFormat("{\"rank\": %d, \"step\": %d, \"ts_ms\": %d}\n", rank, step,
                           1'000'000'000'000 + time_ms);
  }
  const std::string samples = BatchOf(log, {}).samples;
  EXPECT_EQ(samples.substr(0, samples.find('\n')),
            absl::StrFormat("lockstep_step{attempt=\"0\", rank=\"0\"}%s", steps))
      << lines;
}

TEST(StepBatchTest, StepsOfOneTimeAreAMillisecondApart) {
  CheckStepTimes(
      "0 1 0;0 2 0;0 3 0;0 4 1;0 5 9",
      " 1@1000000000000 2@1000000000001 3@1000000000002 4@1000000000003 5@1000000000009");
  // Each rank separately.
  CheckStepTimes("0 1 0;1 1 0;0 2 0;1 2 0;0 3 5",
                 " 1@1000000000000 2@1000000000001 3@1000000000005");
  // Lines of one step keep one time.
  CheckStepTimes("0 1 0;0 2 0;0 2 0;0 3 2", " 1@1000000000000 2@1000000000001 3@1000000000002");
}

TEST(StepBatchTest, AClockThatIsSetRightTakesNoTimesOfEarlierSteps) {
  CheckStepTimes(
      "0 1 700;0 2 700;0 3 0;0 4 0;0 5 900",
      " 1@1000000000700 2@1000000000701 3@1000000000702 4@1000000000703 5@1000000000900");
  // Whole seconds: steps 3 and 4 must not get the times of 1 or 2.
  CheckStepTimes("0 1 2000;0 2 2000;0 3 1000;0 4 2000",
                 " 1@1000000002000 2@1000000002001 3@1000000002002 4@1000000002003");
  // A change of local time is trusted.
  CheckStepTimes("0 1 3600700;0 2 3600700;0 3 0;0 4 0",
                 " 3@1000000000000 4@1000000000001 1@1000003600700 2@1000003600701");
  // Lines of one step may come in any order.
  CheckStepTimes("0 1 700;0 1 300", " 1@1000000000300 1@1000000000700");
}

TEST(StepBatchTest, ValuesWithoutAStepOfOneTimeAreAMillisecondApart) {
  Check(
      "{\"ts_ms\": 1000000000000, \"util\": 1, \"temp\": 5}\n"
      "{\"ts_ms\": 1000000000000, \"util\": 2, \"temp\": 5}\n"
      "{\"ts_ms\": 1000000000000, \"util\": 3}\n"
      "{\"ts_ms\": 1000000000001, \"util\": 3}\n",
      "temp{attempt=\"0\", job=\"j\", run=\"r\"} 5@1000000000000\n"
      "util{attempt=\"0\", job=\"j\", run=\"r\"} 1@1000000000000 2@1000000000001"
      " 3@1000000000002 3@1000000000003\n");
}

TEST(StepBatchTest, LabelsThatAreNoTextAreRefused) {
  const Batched batched = BatchOf(
      "2026-03-02 09:00:00,000 INFO GPU relative performance:\n Rank=1 Node=n\xff Score=0.5\n"
      " Rank=2 Node=n Score=0.5\n",
      {});
  EXPECT_EQ(batched.samples,
            R"(straggler_gpu_relative_score{attempt="0", node="n", rank="2"} 0.5@1772442000000)"
            "\n");
  EXPECT_EQ(batched.refused_count, 1u);
}

// Takes records that are made by hand.
class StepBatchRecordsTest : public testing::Test {
 protected:
  static logs::MetricKey KeyOf(std::string_view name) {
    logs::MetricKey key;
    key.name = name;
    return key;
  }
  void Take(std::optional<int64_t> step, int64_t time_ms,
            std::initializer_list<std::pair<const logs::MetricKey*, double>> values) {
    std::vector<logs::LogValue> all;
    for (const auto& [key, value] : values) all.push_back({key, value});
    record_.step = step;
    record_.time_ms = time_ms;
    record_.values = all;
    batch_.Take(record_);
    record_.values = {};
  }
  void TakeEvent(std::string_view event, int64_t time_ms) {
    record_.kind = logs::RecordKind::kEvent;
    record_.event = event;
    record_.time_ms = time_ms;
    batch_.Take(record_);
    record_.kind = logs::RecordKind::kStep;
  }
  // "{labels} 1.5@1000", a line per series of the next request.
  std::string Request() {
    std::string text;
    for (const SeriesWrite& series : batch_.TakeRequest().series) {
      text += series.labels.ToString();
      for (const Sample& sample : series.samples) {
        absl::StrAppendFormat(&text, " %g@%d", sample.value, sample.timestamp_ms);
      }
      text += "\n";
    }
    return text;
  }

  const logs::MetricKey loss_ = KeyOf("loss");
  const logs::MetricKey same_ = KeyOf("loss");
  logs::LogHints hints_;
  IngestLimits limits_;
  StepBatch batch_{hints_, limits_};
  logs::LogRecord record_;
};

TEST_F(StepBatchRecordsTest, ASampleThatComesAgainIsStoredOnce) {
  Take(1, 1000, {{&loss_, 2}});
  Take(1, 1000, {{&loss_, 2}});
  Take(1, 1000, {{&loss_, 3}});
  EXPECT_EQ(Request(), "loss{attempt=\"0\"} 2@1000 3@1000\nlockstep_step{attempt=\"0\"} 1@1000\n");
  EXPECT_EQ(Request(), "");
  // In another request it is not known whether the first one was stored.
  Take(1, 1000, {{&loss_, 3}});
  EXPECT_EQ(Request(), "loss{attempt=\"0\"} 3@1000\nlockstep_step{attempt=\"0\"} 1@1000\n");
}

TEST_F(StepBatchRecordsTest, TwoNamesMayMeanOneMetric) {
  Take(1, 1000, {{&loss_, 2}, {&same_, 3}});
  EXPECT_EQ(Request(), "loss{attempt=\"0\"} 2@1000 3@1000\nlockstep_step{attempt=\"0\"} 1@1000\n");
}

TEST_F(StepBatchRecordsTest, ValuesWithoutAStepFollowEarlierOnes) {
  Take({}, 1000, {{&loss_, 2}});
  Take({}, 1000, {{&loss_, 2}});
  Take({}, 1000, {{&loss_, 3}});
  Take({}, 1001, {{&loss_, 4}});
  // A log whose times go back is trusted.
  Take({}, 500, {{&loss_, 5}});
  Take({}, 500, {{&loss_, 6}});
  Take({}, 2000, {{&loss_, 7}});
  EXPECT_EQ(Request(), "loss{attempt=\"0\"} 2@1000 3@1001 4@1002 5@500 6@501 7@2000\n");
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  Take({}, kMax, {{&loss_, 1}});
  Take({}, kMax, {{&loss_, 2}});
  EXPECT_EQ(Request(), absl::StrFormat("loss{attempt=\"0\"} 1@%d 2@%d\n", kMax, kMax));
}

TEST_F(StepBatchRecordsTest, EventsHaveASeriesEach) {
  TakeEvent("crash", 1000);
  TakeEvent("nan", 1001);
  TakeEvent("crash", 1002);
  EXPECT_EQ(Request(),
            "lockstep_event{attempt=\"0\", event=\"crash\"} 1@1000 1@1002\n"
            "lockstep_event{attempt=\"0\", event=\"nan\"} 1@1001\n");
  // Its time does not move steps, though it names one.
  record_.step = 1;
  TakeEvent("crash", 1000);
  Take(1, 1000, {});
  Take(2, 1000, {});
  EXPECT_EQ(Request(),
            "lockstep_event{attempt=\"0\", event=\"crash\"} 1@1000\n"
            "lockstep_step{attempt=\"0\"} 1@1000 2@1001\n");
}

TEST_F(StepBatchRecordsTest, OwnersDifferInAnyLabel) {
  hints_.job = "of hints";
  hints_.run = "r0";
  const auto request = [this] {
    Take(1, 1000, {});
    return Request();
  };
  EXPECT_EQ(request(), "lockstep_step{attempt=\"0\", job=\"of hints\", run=\"r0\"} 1@1000\n");
  record_.job = "j";
  EXPECT_EQ(request(), "lockstep_step{attempt=\"0\", job=\"j\", run=\"r0\"} 1@1000\n");
  record_.run = "r";
  EXPECT_EQ(request(), "lockstep_step{attempt=\"0\", job=\"j\", run=\"r\"} 1@1000\n");
  record_.rank = 3;
  record_.attempt = 2;
  EXPECT_EQ(request(), "lockstep_step{attempt=\"2\", job=\"j\", rank=\"3\", run=\"r\"} 1@1000\n");
  const logs::RecordLabel labels[] = {{"node", "n"}, {"empty", ""}};
  record_.labels = labels;
  EXPECT_EQ(request(),
            "lockstep_step{attempt=\"2\", job=\"j\", node=\"n\", rank=\"3\", run=\"r\"} "
            "1@1000\n");
  // What is between two texts is part of neither.
  record_ = logs::LogRecord();
  record_.job = "ab";
  EXPECT_EQ(request(), "lockstep_step{attempt=\"0\", job=\"ab\", run=\"r0\"} 1@1000\n");
  record_.job = "a";
  record_.run = "b";
  EXPECT_EQ(request(), "lockstep_step{attempt=\"0\", job=\"a\", run=\"b\"} 1@1000\n");
}

TEST_F(StepBatchRecordsTest, ARefusalNamesWhatItRefuses) {
  limits_.max_label_value_bytes = 20;
  const std::string longest(20, 'x');
  const std::string too_long = longest + "x";
  const auto told = [this] { return batch_.TakeRefusals().ToString(); };
  const std::string why = "a label value of 21 bytes is longer than the limit of 20\n";
  const logs::RecordLabel labels[] = {{"node", "n"}, {"comm", too_long}};
  record_.labels = labels;
  Take(1, 1000, {{&loss_, 2}});
  EXPECT_EQ(told(),
            "2 samples were not stored, in 1 cases; the rest of the request was:\n"
            "{__name__=\"loss\"}: " +
                why);
  Take(1, 1000, {});
  EXPECT_EQ(told(),
            "1 samples were not stored, in 1 cases; the rest of the request was:\n"
            "{__name__=\"lockstep_step\"}: " +
                why);
  TakeEvent("x", 1000);
  EXPECT_EQ(told(),
            "1 samples were not stored, in 1 cases; the rest of the request was:\n"
            "{__name__=\"lockstep_event\"}: " +
                why);
  Take({}, 1000, {});
  EXPECT_EQ(batch_.TakeRefusals().count(), 0u);
  record_ = logs::LogRecord();
  record_.run = too_long;
  Take(1, 1000, {});
  EXPECT_EQ(batch_.TakeRefusals().count(), 1u);
  record_.run = longest;
  Take(1, 1000, {});
  EXPECT_EQ(batch_.TakeRefusals().count(), 0u);
  hints_.job = too_long;
  record_.run = "b";
  Take(1, 1000, {});
  EXPECT_EQ(batch_.TakeRefusals().count(), 1u);
  record_.job = "j";
  Take(1, 1000, {});
  EXPECT_EQ(batch_.TakeRefusals().count(), 0u);
}

TEST_F(StepBatchRecordsTest, OwnersAreLimited) {
  for (size_t i = 0; i <= kMaxOwnersPerStream; ++i) {
    record_.rank = static_cast<int32_t>(i);
    Take(1, 1000, {});
  }
  EXPECT_EQ(batch_.TakeRequest().series.size(), kMaxOwnersPerStream);
  EXPECT_EQ(batch_.TakeRefusals().ToString(),
            "1 samples were not stored, in 1 cases; the rest of the request was:\n"
            "{__name__=\"lockstep_step\"}: the stream has too many series\n");
  record_.rank = 5;
  Take(2, 2000, {});
  EXPECT_EQ(Request(), "lockstep_step{attempt=\"0\", rank=\"5\"} 2@2000\n");
}

TEST_F(StepBatchRecordsTest, SeriesAreLimited) {
  std::vector<logs::MetricKey> keys;
  keys.reserve(kMaxSeriesPerStream);
  for (size_t i = 0; i < kMaxSeriesPerStream; ++i) keys.push_back(KeyOf(absl::StrFormat("m%d", i)));
  for (const logs::MetricKey& key : keys) Take({}, 1000, {{&key, 1}});
  EXPECT_EQ(batch_.TakeRequest().series.size(), kMaxSeriesPerStream);
  EXPECT_EQ(batch_.TakeRefusals().count(), 0u);
  Take({}, 1000, {{&loss_, 1}, {&keys[0], 2}});
  EXPECT_EQ(Request(), "m0{attempt=\"0\"} 2@1001\n");
  EXPECT_EQ(batch_.TakeRefusals().ToString(),
            "1 samples were not stored, in 1 cases; the rest of the request was:\n"
            "{__name__=\"loss\", attempt=\"0\"}: the stream has too many series\n");
}

TEST_F(StepBatchRecordsTest, StateHasTheTimesOfSteps) {
  record_.rank = 3;
  Take(1, 1000, {});
  record_.rank = 4;
  Take(1, 2000, {});
  std::string state;
  batch_.AppendState(state);
  StepBatch loaded(hints_, limits_);
  std::string_view in = state;
  ASSERT_TRUE(loaded.LoadState(in));
  EXPECT_EQ(in, "");
  std::string times;
  for (const int32_t rank : {3, 4}) {
    record_.rank = rank;
    record_.step = 2;
    record_.time_ms = rank == 3 ? 1000 : 2000;
    loaded.Take(record_);
  }
  for (const SeriesWrite& series : loaded.TakeRequest().series) {
    absl::StrAppendFormat(&times, "%s@%d\n", series.labels.ToString(),
                          series.samples.at(0).timestamp_ms);
  }
  EXPECT_EQ(times,
            "lockstep_step{attempt=\"0\", rank=\"3\"}@1001\n"
            "lockstep_step{attempt=\"0\", rank=\"4\"}@2001\n");
  for (size_t size = 0; size < state.size(); ++size) {
    in = std::string_view(state).substr(0, size);
    StepBatch damaged(hints_, limits_);
    EXPECT_FALSE(damaged.LoadState(in)) << size;
  }
}

}  // namespace
}  // namespace lockstep::push
