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

TEST_F(JoinedStorageTest, IsForReadingAlone) {
  absl::Status status;
  joined_.Write({}, [&](absl::StatusOr<WriteOutcome> outcome) { status = outcome.status(); });
  EXPECT_TRUE(absl::IsPermissionDenied(status));
}

}  // namespace
}  // namespace lockstep::tenants
