#include "server/http/cors.h"

#include <gtest/gtest.h>

namespace lockstep::server {
namespace {

// The value of Access-Control-Allow-Origin, or "-".
std::string AllowedOrigin(std::string_view pattern, std::string_view origin) {
  const absl::StatusOr<CorsPolicy> policy = CorsPolicy::Make(pattern);
  EXPECT_TRUE(policy.ok()) << policy.status();
  for (const api::Header& header : policy->HeadersFor(origin)) {
    if (header.name == "Access-Control-Allow-Origin") return header.value;
  }
  return "-";
}

TEST(CorsTest, AllowsWhatThePatternMatchesWhole) {
  EXPECT_EQ(AllowedOrigin(".*", "http://a.example"), "*");
  EXPECT_EQ(AllowedOrigin(".*", ""), "-");
  EXPECT_EQ(AllowedOrigin("", "http://a.example"), "-");
  EXPECT_TRUE(CorsPolicy::Make("")->HeadersFor("http://a.example").empty());
  EXPECT_EQ(AllowedOrigin("https?://a\\.example", "https://a.example"), "https://a.example");
  EXPECT_EQ(AllowedOrigin("https?://a\\.example", "https://a.example.evil"), "-");
  EXPECT_EQ(AllowedOrigin("https?://a\\.example", "xhttps://a.example"), "-");
  EXPECT_EQ(AllowedOrigin("http://a|http://b", "http://b"), "http://b");
  EXPECT_EQ(AllowedOrigin("http://a|http://b", "http://bc"), "-");
}

TEST(CorsTest, RefusesABrokenPattern) {
  EXPECT_EQ(CorsPolicy::Make("(").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::server
