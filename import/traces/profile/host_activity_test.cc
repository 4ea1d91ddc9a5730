#include "import/traces/profile/host_activity.h"

#include <gtest/gtest.h>

namespace lockstep::traces {
namespace {

// "data 10, wait 5"
std::string DescribeActivities(const KinetoTrace& trace, Interval window) {
  std::string text;
  for (const ActivityTime& time : ActivitiesWithin(HostActivitiesOf(trace), window)) {
    if (!text.empty()) text += ", ";
    text += std::string(time.name) + " " + std::to_string(time.length_ns);
  }
  return text;
}

//              0    10   20   30   40   50   60   70
// forward      |-------------------|
// launch            |----|
// data                   |----|
// wait                        |---------|
// optimizer                                  |----|
TEST(HostActivityTest, EveryMomentHasOne) {
  KinetoTrace trace;
  trace.host_phases = {{"forward", {0, 40}, 0}, {"data", {20, 30}, 0}, {"optimizer", {60, 70}, 0}};
  trace.launches = {{{10, 20}, 1}};
  trace.host_waits = {{25, 50}};
  EXPECT_EQ(DescribeActivities(trace, {0, 80}),
            "data 10, wait 20, launch 10, forward 10, optimizer 10, other 20");
  EXPECT_EQ(DescribeActivities(trace, {15, 25}), "data 5, launch 5");
  EXPECT_EQ(DescribeActivities(trace, {70, 80}), "other 10");
  EXPECT_EQ(DescribeActivities(trace, {45, 45}), "");
  EXPECT_EQ(DescribeActivities({}, {0, 3}), "other 3");
}

}  // namespace
}  // namespace lockstep::traces
