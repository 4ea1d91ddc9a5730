#include "base/percent_encode.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(PercentEncodeTest, LeavesOnlyWhatIsPlain) {
  EXPECT_EQ(PercentEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncode("a{b=\"µ\"} + 1&%"), "a%7Bb%3D%22%C2%B5%22%7D%20%2B%201%26%25");
}

}  // namespace
}  // namespace lockstep
