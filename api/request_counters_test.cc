#include "api/request_counters.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RequestCountersTest, CountsByHandlerAndStatus) {
  RequestCounters counters;
  counters.Count("/b", 200, milliseconds(1));  // on the bound: the first bucket
  counters.Count("/b", 200, seconds(200));
  counters.Count("/b", 400, milliseconds(2));
  counters.Count("/a", 204, milliseconds(0));
  ApiStats stats;
  counters.Fill(stats);
  ASSERT_EQ(stats.requests.size(), 3u);
  EXPECT_EQ(stats.requests[0].handler, "/a");
  EXPECT_EQ(stats.requests[1].handler, "/b");
  EXPECT_EQ(stats.requests[1].status, 200);
  EXPECT_EQ(stats.requests[1].count, 2u);
  EXPECT_EQ(stats.requests[2].status, 400);
  ASSERT_EQ(stats.durations.size(), 2u);
  EXPECT_EQ(stats.durations[1].handler, "/b");
  EXPECT_EQ(stats.durations[1].count, 3u);
  EXPECT_DOUBLE_EQ(stats.durations[1].sum_seconds, 200.003);
  EXPECT_EQ(stats.durations[1].bucket_counts.front(), 1u);
  EXPECT_EQ(stats.durations[1].bucket_counts[1], 1u);
  EXPECT_EQ(stats.durations[1].bucket_counts.back(), 1u);
}

}  // namespace
}  // namespace lockstep::api
