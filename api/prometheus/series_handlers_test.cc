#include "api/prometheus/series_handlers.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

class SeriesHandlersTest : public testing::Test {
 protected:
  using Handler = Response (*)(const Call&, const Storage&, QueryBudget&);

  Response Ask(Handler handler, QueryBudget& budget) {
    Request request;
    request.method = "GET";
    request.target = "/?match[]=m";
    return handler({Form::Of(request), "job"}, storage_, budget);
  }

  MemoryStorage storage_;
};

TEST_F(SeriesHandlersTest, SeriesOfAStoppedRequestAreNotListed) {
  storage_.Append(LabelSet::Of({{"__name__", "m"}}), 1, 1);
  QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
  EXPECT_EQ(Ask(HandleSeries, budget).status, 200);
  budget.Cancel();
  EXPECT_EQ(Ask(HandleSeries, budget).status, 499);
}

// Twice the size of an object and the text of each series.
TEST_F(SeriesHandlersTest, ListsAreTakenFromTheMemoryOfQueries) {
  MemoryBudget memory(uint64_t{8} << 20);
  const auto status = [&] {
    QueryBudget budget(1000, QueryBudget::Clock::time_point::max(), memory);
    return Ask(HandleSeries, budget).status;
  };
  storage_.Append(LabelSet::Of({{"__name__", "m"}, {"job", std::string(100'000, 'x')}}), 1, 1);
  EXPECT_EQ(status(), 200);
  for (char c = 'a'; c <= 'z'; ++c) {
    storage_.Append(LabelSet::Of({{"__name__", "m"}, {"job", std::string(500'000, c)}}), 1, 1);
  }
  EXPECT_EQ(status(), 422);
}

}  // namespace
}  // namespace lockstep::api
