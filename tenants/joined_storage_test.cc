#include "tenants/joined_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/memory_storage.h"

namespace lockstep::tenants {
namespace {

using testing::ElementsAre;

class JoinedStorageTest : public testing::Test {
 protected:
  JoinedStorageTest() {
    a_.Append(LabelSet::Of({{"__name__", "up"}, {"job", "x"}}), 1000, 1);
    // With the tenant label it sorts before the series that it follows without.
    a_.Append(LabelSet::Of({{"__name__", "up"}, {"__p", "1"}}), 1000, 2);
    a_.Append(LabelSet::Of({{"__name__", "up"}}), 1000, 3);
    b_.Append(LabelSet::Of({{"__name__", "up"}, {"job", "x"}}), 2000, 4);
    b_.Append(LabelSet::Of({{"__name__", "up"}, {"__tenant_id__", "a"}, {"job", "y"}}), 2000, 5);
  }

  std::vector<std::string> Select(std::vector<Matcher> matchers, size_t parts = 1) {
    const auto querier = joined_.NewQuerier();
    auto set = (*querier)->Select({matchers, kAllTimes, nullptr});
    std::vector<std::string> lines;
    size_t position = 0;
    for (const std::unique_ptr<SeriesSet>& part : (*set)->Split(parts)) {
      while (part->Next()) {
        EXPECT_EQ(part->position(), position++);
        SampleColumns columns;
        EXPECT_TRUE(part->Read(columns).ok());
        lines.push_back(part->labels().ToString() + " " + std::to_string(columns.values.front()));
      }
    }
    return lines;
  }
  std::vector<std::string> Values(const std::string& label, std::vector<Matcher> matchers) {
    return *(*joined_.NewQuerier())->LabelValues(label, {matchers, kAllTimes, nullptr});
  }

  MemoryStorage a_, b_;
  JoinedStorage joined_{{{"a", &a_}, {"b", &b_}}};
};

TEST_F(JoinedStorageTest, SeriesSayWhoseTheyAreInOrder) {
  const auto all = {Matcher::Equal("__name__", "up")};
  const auto expected = ElementsAre(
      R"(up{__p="1", __tenant_id__="a"} 2.000000)", R"(up{__tenant_id__="a"} 3.000000)",
      R"(up{__tenant_id__="a", job="x"} 1.000000)", R"(up{__tenant_id__="b", job="x"} 4.000000)",
      R"(up{__tenant_id__="b", job="y"} 5.000000)");
  EXPECT_THAT(Select(all), expected);
  EXPECT_THAT(Select(all, 3), expected);
}

TEST_F(JoinedStorageTest, TenantsAreChosenByTheirLabel) {
  EXPECT_THAT(Select({Matcher::Equal("__tenant_id__", "b"), Matcher::Equal("job", "x")}),
              ElementsAre(R"(up{__tenant_id__="b", job="x"} 4.000000)"));
  EXPECT_THAT(Select({*Matcher::Make(MatchType::kNotRegex, "__tenant_id__", "a|b")}),
              ElementsAre());
  EXPECT_THAT(Values("__tenant_id__", {}), ElementsAre("a", "b"));
  EXPECT_THAT(Values("__tenant_id__", {Matcher::Equal("job", "y")}), ElementsAre("b"));
  EXPECT_THAT(Values("job", {Matcher::Equal("__tenant_id__", "a")}), ElementsAre("x"));
}

TEST_F(JoinedStorageTest, WhatIsReadIsCharged) {
  const auto all = {Matcher::Equal("__name__", "up")};
  const std::vector<Matcher> matchers(all);
  QueryBudget budget(4, QueryBudget::Clock::time_point::max());
  const auto querier = joined_.NewQuerier();
  EXPECT_TRUE(
      absl::IsResourceExhausted((*querier)->Select({matchers, kAllTimes, &budget}).status()));
}

TEST_F(JoinedStorageTest, TextsAreChargedToo) {
  const std::vector<Matcher> matchers = {Matcher::Equal("__name__", "up")};
  b_.Append(LabelSet::Of({{"__name__", "up"}, {"text", std::string(6'400, 'x')}}), 1000, 6);
  const auto querier = joined_.NewQuerier();
  QueryBudget small(90, QueryBudget::Clock::time_point::max());
  EXPECT_TRUE(
      absl::IsResourceExhausted((*querier)->Select({matchers, kAllTimes, &small}).status()));
  QueryBudget large(200, QueryBudget::Clock::time_point::max());
  EXPECT_TRUE((*querier)->Select({matchers, kAllTimes, &large}).ok());
}

// What is read is appended to what is there.
TEST_F(JoinedStorageTest, AllOfASeriesIsRead) {
  auto histogram = std::make_shared<const Histogram>();
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{"__name__", "h"}}), {{2000, 5}, {3000, 6}}, {}});
  request.series.back().start_timestamps_ms = {1500, 0};
  a_.Write(std::move(request), [](const auto&) {});
  a_.Append(LabelSet::Of({{"__name__", "h"}}), 4000, histogram);
  const std::vector<Matcher> matchers = {Matcher::Equal("__name__", "h")};
  const auto querier = joined_.NewQuerier();
  auto set = (*querier)->Select({matchers, kAllTimes, nullptr});
  ASSERT_TRUE((*set)->Next());
  SampleColumns columns;
  columns.Append(1000, 4);
  ASSERT_TRUE((*set)->Read(columns).ok());
  EXPECT_THAT(columns.timestamps_ms, ElementsAre(1000, 2000, 3000));
  EXPECT_THAT(columns.values, ElementsAre(4, 5, 6));
  EXPECT_EQ(columns.StartOf(0), 0);
  EXPECT_EQ(columns.StartOf(1), 1500);
  EXPECT_EQ(columns.StartOf(2), 0);
  ASSERT_EQ(columns.histograms.size(), 1u);
  EXPECT_EQ(columns.histograms[0].timestamp_ms, 4000);
  EXPECT_EQ(columns.histograms[0].histogram, histogram);
  EXPECT_FALSE((*set)->Next());
  EXPECT_FALSE((*set)->Next());
  EXPECT_TRUE((*set)->status().ok());
}

TEST_F(JoinedStorageTest, PartsAreOfAboutTheSameSize) {
  const auto sizes = [&](std::vector<Matcher> matchers, size_t max_parts) {
    const auto querier = joined_.NewQuerier();
    auto set = (*querier)->Select({matchers, kAllTimes, nullptr});
    std::vector<size_t> found;
    for (const auto& part : (*set)->Split(max_parts)) found.push_back(part->size());
    return found;
  };
  const auto all = Matcher::Equal("__name__", "up");
  EXPECT_THAT(sizes({all}, 1), ElementsAre(5));
  EXPECT_THAT(sizes({all}, 2), ElementsAre(2, 3));
  EXPECT_THAT(sizes({all}, 9), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(sizes({Matcher::Equal("__name__", "none")}, 9), ElementsAre(0));
}

TEST_F(JoinedStorageTest, NamesAreThoseOfAll) {
  const auto names = [&](std::vector<Matcher> matchers) {
    return *(*joined_.NewQuerier())->LabelNames({matchers, kAllTimes, nullptr});
  };
  EXPECT_THAT(names({}), ElementsAre("__name__", "__p", "__tenant_id__", "job"));
  EXPECT_THAT(names({Matcher::Equal("__tenant_id__", "b")}),
              ElementsAre("__name__", "__tenant_id__", "job"));
  EXPECT_THAT(names({Matcher::Equal("job", "none")}), ElementsAre());
  EXPECT_THAT(Values("job", {}), ElementsAre("x", "y"));
  EXPECT_THAT(Values("__tenant_id__", {Matcher::Equal("job", "none")}), ElementsAre());
}

TEST_F(JoinedStorageTest, TenantsAreCountedOneByOne) {
  EXPECT_EQ(joined_.Cardinality({}).status(),
            absl::InvalidArgumentError("series can be counted for only one tenant at a time"));
  EXPECT_EQ(joined_.stats().series_count, a_.stats().series_count);
}

TEST_F(JoinedStorageTest, IsForReadingAlone) {
  absl::Status status;
  joined_.Write({}, [&](absl::StatusOr<WriteOutcome> outcome) { status = outcome.status(); });
  EXPECT_EQ(status, absl::PermissionDeniedError("samples can be written to only one tenant"));
}

}  // namespace
}  // namespace lockstep::tenants
