#include "import/delivery/sample_fates.h"

#include <gtest/gtest.h>

namespace lockstep::importer {
namespace {

TEST(SampleFatesTest, ReadsTheHeader) {
  EXPECT_EQ(ReadSampleFates("new=3, duplicate=2, overwritten=1"), (SampleFates{3, 2, 1}));
  EXPECT_EQ(ReadSampleFates("new=0, duplicate=18446744073709551615, overwritten=0"),
            (SampleFates{0, UINT64_MAX, 0}));
  for (const char* const text :
       {"", "3", "new=3", "new=3, duplicate=2", "new=3, duplicate=2, overwritten=",
        "new=-3, duplicate=2, overwritten=1", "new=3, duplicate=2, overwritten=1, more=4",
        "new=99999999999999999999, duplicate=0, overwritten=0"}) {
    EXPECT_EQ(ReadSampleFates(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lockstep::importer
