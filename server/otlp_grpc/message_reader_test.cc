#include "server/otlp_grpc/message_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::server {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

// The first bytes of a message of that size, with its prefix.
std::string Begun(uint64_t size, size_t received_bytes) {
  std::string bytes(1, '\0');
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift & 0xff);
  return bytes.append(received_bytes, 'a');
}

TEST(MessageReaderTest, ACredentialHasOneShareFromAllNetworks) {
  BodyBudget budget(16 * kMebibyte);
  MessageReader first(32 * kMebibyte, budget, {.network = "a", .user = ""});
  ASSERT_TRUE(first.Add(Begun(7 * kMebibyte, 7 * kMebibyte)).ok());
  ASSERT_TRUE(first.SetUser("sender"));
  EXPECT_EQ(budget.held_bytes(), 7 * kMebibyte);
  const std::string message = Begun(3 * kMebibyte, 3 * kMebibyte);
  MessageReader stranger(32 * kMebibyte, budget, {.network = "b", .user = ""});
  ASSERT_TRUE(stranger.SetUser("another"));
  EXPECT_TRUE(stranger.Add(message).ok());
  MessageReader same(32 * kMebibyte, budget, {.network = "c", .user = ""});
  ASSERT_TRUE(same.SetUser("sender"));
  EXPECT_EQ(same.Add(message).code, GrpcCode::kUnavailable);
  // Bytes received before the credential is known also count.
  MessageReader early(32 * kMebibyte, budget, {.network = "d", .user = ""});
  EXPECT_TRUE(early.Add(message).ok());
  EXPECT_FALSE(early.SetUser("sender"));
}

class OneMessageTest : public testing::Test {
 protected:
  static constexpr uint64_t kMostBytes = 100;

  // What became of the pieces: the status of the first that is refused, or of the end.
  std::string Read(const std::vector<std::string>& pieces) {
    MessageReader reader(kMostBytes, budget_, {.network = "a", .user = ""});
    for (const std::string& piece : pieces) {
      if (const GrpcStatus status = reader.Add(piece); !status.ok()) {
        return std::string(NameOf(status.code)) + ": " + status.message;
      }
    }
    if (const GrpcStatus status = reader.Finish(); !status.ok()) {
      return std::string(NameOf(status.code)) + ": " + status.message;
    }
    return (reader.is_compressed() ? "compressed " : "") + reader.TakeMessage();
  }

  BodyBudget budget_{16 * kMebibyte};
};

TEST_F(OneMessageTest, AMessageMayComeInAnyPieces) {
  const std::string whole = Begun(3, 0) + "xyz";
  EXPECT_EQ(Read({whole}), "xyz");
  for (size_t first = 0; first <= whole.size(); ++first) {
    EXPECT_EQ(Read({whole.substr(0, first), whole.substr(first)}), "xyz") << first;
  }
  EXPECT_EQ(Read({Begun(0, 0)}), "");
  EXPECT_EQ(Read({std::string("\1\0\0\0\1", 5) + "x"}), "compressed x");
}

TEST_F(OneMessageTest, MoreOrLessThanOneIsRefused) {
  EXPECT_EQ(Read({}), "INVALID_ARGUMENT: the call contains no message");
  EXPECT_EQ(Read({std::string(1, '\0')}),
            "INVALID_ARGUMENT: the message is shorter than its announced length");
  EXPECT_EQ(Read({Begun(3, 2)}),
            "INVALID_ARGUMENT: the message is shorter than its announced length");
  EXPECT_EQ(Read({Begun(3, 4)}), "INVALID_ARGUMENT: the call contains more than one message");
  EXPECT_EQ(Read({Begun(3, 3), "b"}), "INVALID_ARGUMENT: the call contains more than one message");
  EXPECT_EQ(Read({std::string("\2\0\0\0\1", 5)}),
            "INTERNAL: the message's first byte is neither 0 nor 1");
}

TEST_F(OneMessageTest, AMessageIsSoLongAndNoLonger) {
  EXPECT_EQ(Read({Begun(100, 100)}), std::string(100, 'a'));
  EXPECT_EQ(Read({Begun(101, 0)}),
            "RESOURCE_EXHAUSTED: the message has 101 bytes, more than the limit of 100");
  EXPECT_EQ(Read({Begun(0x01020304, 0)}),
            "RESOURCE_EXHAUSTED: the message has 16909060 bytes, more than the limit of 100");
}

// Little is held before the bytes are there.
TEST(MessageReaderRoomTest, RoomGrowsWithWhatArrives) {
  BodyBudget budget(16 * kMebibyte);
  MessageReader reader(32 * kMebibyte, budget, {.network = "a", .user = ""});
  EXPECT_TRUE(reader.Add(Begun(20'000, 0)).ok());
  EXPECT_EQ(budget.held_bytes(), 0u);
  EXPECT_TRUE(reader.Add("a").ok());
  EXPECT_EQ(budget.held_bytes(), 4096u);
  EXPECT_TRUE(reader.Add(std::string(4095, 'a')).ok());
  EXPECT_EQ(budget.held_bytes(), 4096u);
  EXPECT_TRUE(reader.Add("a").ok());
  EXPECT_EQ(budget.held_bytes(), 8192u);
  EXPECT_TRUE(reader.Add(std::string(15'000, 'a')).ok());
  EXPECT_EQ(budget.held_bytes(), 19'097u);
  EXPECT_TRUE(reader.Add("a").ok());
  EXPECT_EQ(budget.held_bytes(), 20'000u);
  EXPECT_EQ(reader.received_bytes(), 5u + 19'098u);
}

}  // namespace
}  // namespace lockstep::server
