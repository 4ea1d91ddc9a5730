#include "ingest/write/request_memory.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

TEST(RequestMemory, LimitsLabelsByTheMessageThatSpellsThemOut) {
  IngestLimits limits;
  limits.max_label_expansion = 4;
  limits.free_label_bytes = 100;
  limits.max_label_bytes_per_request = 1000;
  const auto takes = [&limits](size_t message_bytes, uint64_t label_bytes) {
    RequestMemory memory;
    memory.Begin(message_bytes, limits);
    return memory.AddLabels(label_bytes / 2) && memory.AddLabels(label_bytes - label_bytes / 2);
  };
  EXPECT_TRUE(takes(1, 100));
  EXPECT_FALSE(takes(1, 101));
  EXPECT_TRUE(takes(50, 200));
  EXPECT_FALSE(takes(50, 201));
  EXPECT_TRUE(takes(1'000'000, 1000));
  EXPECT_FALSE(takes(1'000'000, 1001));
}

TEST(RequestMemory, SaysWhichLimitItIsOverAndStaysSo) {
  IngestLimits limits;
  limits.free_label_bytes = 100;
  RequestMemory memory;
  memory.Begin(1, limits);
  EXPECT_FALSE(memory.AddLabels(101));
  EXPECT_EQ(
      memory.status(),
      absl::OutOfRangeError("the expanded labels of the request exceed the limit of 100 bytes"));
  EXPECT_FALSE(memory.Add(1));
}

TEST(RequestMemory, WritesCallWhatIsTooLargeOutOfRange) {
  EXPECT_EQ(AsWriteError(absl::ResourceExhaustedError("why")), absl::OutOfRangeError("why"));
  EXPECT_EQ(AsWriteError(absl::UnavailableError("why")), absl::UnavailableError("why"));
  EXPECT_TRUE(AsWriteError(absl::OkStatus()).ok());
}

}  // namespace
}  // namespace lockstep
