#include "base/threads/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace lockstep {
namespace {

int NiceOf(pid_t thread) { return getpriority(PRIO_PROCESS, static_cast<id_t>(thread)); }

TEST(UsableProcessorCountTest, IsThatOfTheAffinity) {
  std::thread([] {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    ASSERT_EQ(sched_getaffinity(0, sizeof(usable), &usable), 0);
    EXPECT_EQ(UsableProcessorCount(), static_cast<size_t>(CPU_COUNT(&usable)));
    int first = 0;
    while (!CPU_ISSET(first, &usable)) ++first;
    CPU_ZERO(&usable);
    CPU_SET(first, &usable);
    ASSERT_EQ(sched_setaffinity(0, sizeof(usable), &usable), 0);
    EXPECT_EQ(UsableProcessorCount(), 1u);
  }).join();
}

TEST(LowerThreadPriorityTest, LowersThatOfTheCallingThreadOnce) {
  const int before = NiceOf(gettid());
  const int lowered = std::min(before + 5, 19);  // is the lowest
  std::thread([lowered] {
    LowerThreadPriority();
    EXPECT_EQ(NiceOf(gettid()), lowered);
    LowerThreadPriority();
    EXPECT_EQ(NiceOf(gettid()), lowered);
  }).join();
  EXPECT_EQ(NiceOf(gettid()), before);
}

}  // namespace
}  // namespace lockstep
