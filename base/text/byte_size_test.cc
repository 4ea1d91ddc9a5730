#include "base/text/byte_size.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

void Check(std::string_view text, uint64_t expected) {
  const absl::StatusOr<uint64_t> size = ParseByteSize(text);
  ASSERT_TRUE(size.ok()) << text << ": " << size.status();
  EXPECT_EQ(*size, expected) << text;
}

TEST(ByteSizeTest, ReadsWhatPrometheusWrites) {
  Check("0", 0);
  Check("0GB", 0);
  Check("17B", 17);
  Check("1KB", 1024);
  Check("512MB", uint64_t{512} << 20);
  Check("50GB", uint64_t{50} << 30);
  Check("2TB", uint64_t{2} << 40);
  Check("3PB", uint64_t{3} << 50);
  Check("15EB", uint64_t{15} << 60);
}

TEST(ByteSizeTest, RefusesAnythingElse) {
  for (const char* text : {"", "GB", "5", "-1GB", "1.5GB", "1 GB", "1gb", "1GBs", "1GiB", "16EB",
                           "99999999999999999999B"}) {
    EXPECT_FALSE(ParseByteSize(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lockstep
