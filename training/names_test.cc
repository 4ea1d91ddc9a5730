#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "training/bottlenecks/bottlenecks.h"
#include "training/comparison.h"
#include "training/devices/xid.h"
#include "training/efficiency/flops.h"
#include "training/efficiency/ledger.h"
#include "training/events/events.h"
#include "training/job/discovery.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {
namespace {

// Names stand in JSON, in labels and in reports: one word each, in lower case, and no two alike.
template <typename Enum>
void ExpectDistinctNames(Enum last) {
  std::set<std::string_view> names;
  const size_t count = static_cast<size_t>(last) + 1;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view name = Name(static_cast<Enum>(i));
    EXPECT_FALSE(name.empty()) << i;
    EXPECT_TRUE(std::ranges::all_of(name, [](char c) {
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    })) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), count);
}

template <typename Enum>
void ExpectDistinctAdvice(Enum last) {
  std::set<std::string_view> advice;
  const size_t count = static_cast<size_t>(last) + 1;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view sentence = Advice(static_cast<Enum>(i));
    EXPECT_TRUE(sentence.ends_with('.')) << i;
    advice.insert(sentence);
  }
  EXPECT_EQ(advice.size(), count);
}

TEST(Names, AreOneDistinctWordEach) {
  ExpectDistinctNames(BottleneckClass::kUnknown);
  ExpectDistinctNames(HostCause::kLaunches);
  ExpectDistinctNames(BottleneckFlag::kFewTensorCores);
  ExpectDistinctNames(ComparisonAxis::kSeconds);
  ExpectDistinctNames(XidAction::kDrain);
  ExpectDistinctNames(FlopsConvention::kPalm);
  ExpectDistinctNames(LedgerBin::kFakeLoad);
  ExpectDistinctNames(EventKind::kPause);
  ExpectDistinctNames(JobState::kUnknown);
  ExpectDistinctNames(JobStateReason::kNothing);
  ExpectDistinctNames(StragglerMethod::kStepTime);
  ExpectDistinctNames(StragglerVerdict::kNoData);
  ExpectDistinctNames(StragglerCause::kUnknown);
  ExpectDistinctNames(GpuReason::kUnhealthy);
}

TEST(Names, OfConventionsAreReadAsTheyAreWritten) {
  for (size_t i = 0; i <= static_cast<size_t>(FlopsConvention::kPalm); ++i) {
    const auto convention = static_cast<FlopsConvention>(i);
    EXPECT_EQ(FlopsConventionOf(Name(convention)), convention);
  }
  EXPECT_EQ(FlopsConventionOf("guessed"), std::nullopt);
}

TEST(Advice, IsDifferentForEachClassAndFlag) {
  ExpectDistinctAdvice(BottleneckClass::kUnknown);
  ExpectDistinctAdvice(BottleneckFlag::kFewTensorCores);
}

}  // namespace
}  // namespace lockstep::training
