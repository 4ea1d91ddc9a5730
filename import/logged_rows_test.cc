#include "import/logged_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "import/delivery/session_testing.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class LoggedRowsTest : public testing::Test {
 protected:
  LoggedRowsTest() { owner_.job = "j"; }

  TestSession test_;
  ImportSession session_ = test_.session();
  ImportReport report_;
  LoggedRows rows_{session_, report_, 9000};
  static constexpr std::array kSources = {logs::MetricSource::kLogged,
                                          logs::MetricSource::kGeneric};
  logs::KeyCache keys_{kSources};
  logs::LogHints owner_;
};

TEST_F(LoggedRowsTest, AnInfoIsOneSample) {
  rows_.AddInfo(owner_, "run_info", 1234, {{"id", "x"}});
  EXPECT_THAT(test_.samples(), IsEmpty());
  ASSERT_TRUE(rows_.Deliver().ok());
  EXPECT_THAT(test_.samples(), ElementsAre("run_info{attempt=\"0\", id=\"x\", job=\"j\"} 1@1234"));
}

TEST_F(LoggedRowsTest, ARowHasATimeOrThatOfTheFile) {
  rows_.Begin({std::nullopt, 5000});
  rows_.Add(keys_, "some_value", 1);
  ASSERT_TRUE(rows_.End(owner_).ok());
  rows_.Begin({std::nullopt, std::nullopt});
  rows_.Add(keys_, "some_value", 2);
  ASSERT_TRUE(rows_.End(owner_).ok());
  ASSERT_TRUE(rows_.Deliver().ok());
  EXPECT_THAT(test_.samples(), ElementsAre("some_value{attempt=\"0\", job=\"j\"} 1@5000",
                                           "some_value{attempt=\"0\", job=\"j\"} 2@9000"));
}

TEST_F(LoggedRowsTest, AStepIsWholeAndARankIsOneToo) {
  rows_.Begin({std::nullopt, 5000});
  rows_.Add(keys_, "step", 7);
  rows_.Add(keys_, "rank", 3);
  rows_.Add(keys_, "some_value", 1);
  ASSERT_TRUE(rows_.End(owner_).ok());
  // Neither: 2^53 is the largest number whose neighbours are exact.
  rows_.Begin({std::nullopt, 6000});
  rows_.Add(keys_, "step", 7.5);
  ASSERT_TRUE(rows_.End(owner_).ok());
  rows_.Begin({std::nullopt, 7000});
  rows_.Add(keys_, "rank", -1);
  ASSERT_TRUE(rows_.End(owner_).ok());
  ASSERT_TRUE(rows_.Deliver().ok());
  EXPECT_THAT(test_.samples(),
              UnorderedElementsAre("some_value{attempt=\"0\", job=\"j\", rank=\"3\"} 1@5000",
                                   "lockstep_step{attempt=\"0\", job=\"j\", rank=\"3\"} 7@5000",
                                   "step{attempt=\"0\", job=\"j\"} 7.5@6000",
                                   "rank{attempt=\"0\", job=\"j\"} -1@7000"));
}

TEST_F(LoggedRowsTest, ARowDoesNotKeepWhatTheOneBeforeHad) {
  rows_.Begin({4, 5000});
  rows_.Add(keys_, "rank", 3);
  rows_.Add(keys_, "some_value", 1);
  ASSERT_TRUE(rows_.End(owner_).ok());
  rows_.Begin({std::nullopt, 6000});
  rows_.Add(keys_, "other_value", 2);
  ASSERT_TRUE(rows_.End(owner_).ok());
  ASSERT_TRUE(rows_.Deliver().ok());
  EXPECT_EQ(test_.samples().size(), 3u);
  EXPECT_EQ(test_.samples().back(), "other_value{attempt=\"0\", job=\"j\"} 2@6000");
}

TEST_F(LoggedRowsTest, SendsTenThousandSamplesAtOnce) {
  for (int64_t i = 0; i < 4'999; ++i) {
    rows_.Begin({i, 1000 * i});
    rows_.Add(keys_, "some_value", 1);
    ASSERT_TRUE(rows_.End(owner_).ok());
  }
  EXPECT_THAT(test_.requests, IsEmpty());
  rows_.Begin({4'999, 4'999'000});
  rows_.Add(keys_, "some_value", 1);
  ASSERT_TRUE(rows_.End(owner_).ok());
  EXPECT_EQ(test_.requests.size(), 1u);
  EXPECT_EQ(report_.counts.samples(), 10'000u);
  ASSERT_TRUE(rows_.Deliver().ok());
  EXPECT_EQ(test_.requests.size(), 1u);
}

TEST_F(LoggedRowsTest, ComplaintsSayWhereTheyAre) {
  test_.answer = [](const TestSession::Request&) { return Reply{400, "", "no"}; };
  for (int i = 0; i < 2; ++i) {
    rows_.AddInfo(owner_, "run_info", 1234 + i, {});
    ASSERT_TRUE(rows_.Deliver().ok());
  }
  EXPECT_THAT(test_.complaints,
              ElementsAre("samples after the first 0: the server answered 400: no",
                          "samples after the first 1: the server answered 400: no"));
}

}  // namespace
}  // namespace lockstep::importer
