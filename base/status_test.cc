#include "base/status.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(AnnotateTest, TheContextComesFirstAndTheCodeStays) {
  EXPECT_EQ(Annotate(absl::DataLossError("bad byte"), "file 7"),
            absl::DataLossError("file 7: bad byte"));
  EXPECT_EQ(Annotate(absl::OkStatus(), "file 7"), absl::OkStatus());
}

}  // namespace
}  // namespace lockstep
