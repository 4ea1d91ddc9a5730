#include <gtest/gtest.h>

#include "profile/heap_profile.h"

namespace lockstep::profile {
namespace {

TEST(HeapStateTest, KnowsThisProcess) { EXPECT_GT(ReadHeapState().allocated_bytes, 0u); }

}  // namespace
}  // namespace lockstep::profile
