#include "base/utc_text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// Source of the numbers: date -u -d TEXT +%s%3N
TEST(UtcText, WritesMillisecondsAsRfc3339) {
  EXPECT_EQ(Rfc3339Text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(Rfc3339Text(1'767'323'045'678), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(Rfc3339Text(1'709'251'199'999), "2024-02-29T23:59:59.999Z");
  EXPECT_EQ(Rfc3339Text(-1), "1969-12-31T23:59:59.999Z");
}

TEST(UtcText, WritesByAFormat) {
  EXPECT_EQ(UtcText("%E4Y-%m-%d %H:%M:%SZ", 1'767'323'045'678), "2026-01-02 03:04:05Z");
  EXPECT_EQ(UtcText("%a, %d %b %Y %H:%M:%S GMT", 784'111'777'000), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace lockstep
