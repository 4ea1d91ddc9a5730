#include "profile/cpu_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "profile/read_profile.h"

namespace lockstep::profile {

std::atomic<bool> g_is_enough{false};

__attribute__((noinline)) uint64_t BusyFunctionOfTheTest() {
  uint64_t sum = 0;
  while (!g_is_enough.load(std::memory_order_relaxed)) sum = sum * 31 + 7;
  return sum;
}

namespace {

constexpr std::string_view kBusy = "lockstep::profile::BusyFunctionOfTheTest()";
constexpr size_t kEnoughSamples = 20;

int64_t SamplesWith(const ReadProfile& profile, std::string_view function) {
  int64_t count = 0;
  for (const ReadSample& sample : profile.samples) {
    const auto& names = sample.functions;
    if (std::find(names.begin(), names.end(), function) != names.end()) count += sample.values[0];
  }
  return count;
}

TEST(CpuProfilerTest, FindsWhatThreadsDo) {
  g_is_enough = false;
  auto profiler = CpuProfiler::Start();
  ASSERT_TRUE(profiler.ok()) << profiler.status();
  // A thread that starts later.
  std::thread busy([] { (void)BusyFunctionOfTheTest(); });
  while ((*profiler)->sample_count() < kEnoughSamples) {
    (*profiler)->FindThreads();
    std::this_thread::yield();
  }
  g_is_enough = true;
  busy.join();
  const ReadProfile profile = ParseProfile((*profiler)->Finish());
  EXPECT_THAT(profile.sample_types, testing::ElementsAre("samples/count", "cpu/nanoseconds"));
  EXPECT_GT(SamplesWith(profile, kBusy), 0);
  for (const ReadSample& sample : profile.samples) {
    EXPECT_EQ(sample.values[1], sample.values[0] * 10'000'000);
    EXPECT_FALSE(sample.functions.empty());
  }
}

TEST(CpuProfilerTest, OneAtATime) {
  auto first = CpuProfiler::Start(1);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(CpuProfiler::Start(1).status()));
  first->reset();
  EXPECT_TRUE(CpuProfiler::Start(1).ok());
}

TEST(CpuProfilerTest, SaysWhatItLeftOut) {
  g_is_enough = false;
  auto profiler = CpuProfiler::Start(1);
  ASSERT_TRUE(profiler.ok());
  std::thread busy([] { (void)BusyFunctionOfTheTest(); });
  while ((*profiler)->asked_count() < 3) {
    (*profiler)->FindThreads();
    std::this_thread::yield();
  }
  g_is_enough = true;
  busy.join();
  const ReadProfile profile = ParseProfile((*profiler)->Finish());
  ASSERT_EQ(profile.comments.size(), 1u);
  EXPECT_THAT(profile.comments[0], testing::HasSubstr("samples were omitted"));
  EXPECT_EQ(profile.samples.size(), 1u);
}

TEST(CpuProfilerTest, SaysWhenAndHowOften) {
  auto profiler = CpuProfiler::Start();
  ASSERT_TRUE(profiler.ok()) << profiler.status();
  const std::string packed = (*profiler)->Finish();
  const std::string plain = Gunzip(packed);
  const auto fields = FieldsOf(plain);
  EXPECT_GT(fields.find(9)->second.number, 0u);
  EXPECT_GT(fields.find(10)->second.number, 0u);
  EXPECT_EQ(fields.find(12)->second.number, 10'000'000u);
  EXPECT_TRUE(ParseProfile(packed).comments.empty());
  // It has stopped, so that another one may start.
  EXPECT_TRUE(CpuProfiler::Start(1).ok());
}

}  // namespace
}  // namespace lockstep::profile
