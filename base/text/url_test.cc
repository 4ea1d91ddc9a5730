#include "base/text/url.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

TEST(PercentEncodeTest, LeavesOnlyWhatIsPlain) {
  EXPECT_EQ(PercentEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncode("a{b=\"µ\"} + 1&%"), "a%7Bb%3D%22%C2%B5%22%7D%20%2B%201%26%25");
  EXPECT_EQ(QueryEncode("a{b=\"µ\"} + 1&%"), "a%7Bb%3D%22%C2%B5%22%7D+%2B+1%26%25");
}

TEST(RedactUrlTest, HidesPasswordsAndParametersThatAreSecret) {
  for (const auto& [url, redacted] : std::vector<std::pair<std::string, std::string>>{
           {"http://a.example:9009/x?y=z#w", "http://a.example:9009/x?y=z#w"},
           {"http://u:pw@a/x", "http://u:xxxxx@a/x"},
           {"http://u:p@w@a/x", "http://u:xxxxx@a/x"},
           {"http://t0ken@a", "http://xxxxx@a"},
           {"http://a/x@y?u:p@b", "http://a/x@y?u:p@b"},
           {"http://a/?token=t&b=c&API_KEY=d#e", "http://a/?token=xxxxx&b=c&API_KEY=xxxxx#e"},
           {"http://a?X-Amz-Signature=s&token", "http://a?X-Amz-Signature=xxxxx&token"},
           {"http://a/?", "http://a/?"},
           {"u:p@a", "u:xxxxx@a"},
           {"/etc/targets.json", "/etc/targets.json"},
           {"", ""},
       }) {
    EXPECT_EQ(RedactUrl(url), redacted);
  }
}

TEST(RedactUrlTest, TellsTheHostAlone) {
  EXPECT_EQ(RedactUrlToHost("https://u:p@hooks.example:8443/services/T0/B0/x?y"),
            "https://hooks.example:8443");
  EXPECT_EQ(RedactUrlToHost("https://hooks.example"), "https://hooks.example");
}

}  // namespace

}  // namespace lockstep
