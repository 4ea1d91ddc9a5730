#include "api/query/active_queries.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

std::shared_ptr<CancelSignal> NewSignal() { return std::make_shared<CancelSignal>(); }

QueryDescription Described(std::string text) {
  QueryDescription description;
  description.path = "/api/v1/query";
  description.text = std::move(text);
  description.user = "ada";
  description.start_ms = 1000;
  return description;
}

TEST(ActiveQueriesTest, AreListedWhileTheirTicketLives) {
  ActiveQueries queries;
  QueryBudget budget(100, QueryBudget::Clock::time_point::max());
  EXPECT_TRUE(queries.List().empty());
  {
    const auto waiting = queries.Add(Described("a"), NewSignal());
    const auto running = queries.Add(Described("b"), NewSignal());
    running->Start(budget);
    running->progress().samples_read = 7;
    ASSERT_TRUE(budget.Charge(30).ok());
    budget.Release(20);
    const auto list = queries.List();
    ASSERT_EQ(list.size(), 2u);
    EXPECT_LT(list[0].id, list[1].id);
    EXPECT_EQ(list[0].description.text, "a");
    EXPECT_FALSE(list[0].is_running);
    EXPECT_EQ(list[0].peak_samples, 0);
    EXPECT_EQ(list[1].description.user, "ada");
    EXPECT_EQ(list[1].description.start_ms, 1000);
    EXPECT_TRUE(list[1].is_running);
    EXPECT_GE(list[1].age_seconds, 0);
    EXPECT_EQ(list[1].samples_read, 7);
    EXPECT_EQ(list[1].peak_samples, 30);
  }
  EXPECT_TRUE(queries.List().empty());
}

TEST(ActiveQueriesTest, OneCanBeCancelled) {
  ActiveQueries queries;
  const auto signal = NewSignal();
  const auto other_signal = NewSignal();
  const auto other = queries.Add(Described("a"), other_signal);
  auto ticket = queries.Add(Described("b"), signal);
  const uint64_t id = queries.List()[1].id;
  EXPECT_TRUE(queries.Cancel(id));
  EXPECT_TRUE(signal->fired());
  EXPECT_FALSE(other_signal->fired());
  EXPECT_FALSE(queries.Cancel(id + 1));
  ticket.reset();
  EXPECT_FALSE(queries.Cancel(id));
}

TEST(ActiveQueriesTest, LongTextsAreCutBetweenCharacters) {
  ActiveQueries queries;
  const auto ticket = queries.Add(
      Described(std::string(ActiveQueries::kMaxTextBytes - 1, 'a') + "éé"), NewSignal());
  EXPECT_EQ(queries.List()[0].description.text,
            std::string(ActiveQueries::kMaxTextBytes - 1, 'a') + "...");
}

}  // namespace
}  // namespace lockstep::api
