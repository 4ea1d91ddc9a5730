#include "server/otlp_grpc/message_reader.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace lockstep::server
