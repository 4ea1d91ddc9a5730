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

// Decoded, a field may take so many bytes; a message of less than 64 KiB has no need of a limit.
TEST(RequestMemory, ALongMessageIsChargedByItsFields) {
  constexpr uint64_t kBytesPerField = 96;
  constexpr uint64_t kChunkBytes = 64 << 10;
  const auto check = [](const std::string& field, size_t count, uint64_t fields) {
    std::string message;
    for (size_t i = 0; i < count; ++i) message += field;
    const auto held = [] {
      return MemoryBudget::OfProcess()
          .stats()
          .accounts[static_cast<size_t>(MemoryAccount::kDecoding)]
          .held_bytes;
    };
    const uint64_t before = held();
    RequestMemory memory;
    EXPECT_TRUE(memory.AddMessage(message));
    EXPECT_GE(held() - before, fields * kBytesPerField) << count;
    EXPECT_LE(held() - before, fields * kBytesPerField + (fields > 0 ? kChunkBytes : 0)) << count;
  };
  const std::string varint = "\x08\x01";
  check(varint, (64 << 10) / 2 - 1, 0);
  check(varint, (64 << 10) / 2, (64 << 10) / 2);
  check(varint, 100'000, 100'000);
  check("\x0a\xff\x7f" + std::string(0x3fff, '\xff'), 10, 10);
}

TEST(RequestMemory, WritesCallWhatIsTooLargeOutOfRange) {
  EXPECT_EQ(AsWriteError(absl::ResourceExhaustedError("why")), absl::OutOfRangeError("why"));
  EXPECT_EQ(AsWriteError(absl::UnavailableError("why")), absl::UnavailableError("why"));
  EXPECT_TRUE(AsWriteError(absl::OkStatus()).ok());
}

}  // namespace
}  // namespace lockstep
