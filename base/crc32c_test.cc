#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

// The check value from the catalogue of CRCs, and the zeros from RFC 3720, B.4.
TEST(Crc32c, IsThatOfItsStandard) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32c, IsTheSameByTable) {
  std::string bytes;
  for (int i = 0; i < 40; ++i) {
    for (size_t skip = 0; skip <= bytes.size() && skip < 8; ++skip) {
      const std::string_view part = std::string_view(bytes).substr(skip);
      EXPECT_EQ(Crc32c(part), Crc32cByTable(part)) << i << " " << skip;
    }
    bytes.push_back(static_cast<char>(i * 37));
  }
}

}  // namespace
}  // namespace lockstep
