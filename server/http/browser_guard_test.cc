#include "server/http/browser_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::server {
namespace {

using testing::HasSubstr;

RequestHead HeadOf(std::string method, std::vector<api::Header> headers) {
  RequestHead head;
  head.method = std::move(method);
  head.headers = std::move(headers);
  return head;
}

struct GuardCase {
  std::vector<api::Header> headers;
  bool is_allowed;
};

BrowserGuard GuardOf(std::string_view cors_origin, const BrowserGuardOptions& options = {}) {
  return BrowserGuard(options, *CorsPolicy::Make(cors_origin));
}

void ExpectPosts(const BrowserGuard& guard, const std::vector<GuardCase>& cases) {
  for (const GuardCase& row : cases) {
    EXPECT_EQ(!guard.WhyNot(HeadOf("POST", row.headers), api::Role::kWrite).has_value(),
              row.is_allowed)
        << (row.headers.empty() ? "" : row.headers.back().value);
  }
}

TEST(BrowserGuardTest, LetsPagesOfItsOwnChangeThings) {
  ExpectPosts(GuardOf(""), {{{}, true},
                            {{{"Host", "a:9009"}, {"Origin", "http://a:9009"}}, true},
                            {{{"Host", "A.example"}, {"Origin", "https://a.example"}}, true},
                            {{{"Host", "a.example:443"}, {"Origin", "https://a.example"}}, true},
                            {{{"Host", "a.example"}, {"Origin", "http://a.example:80"}}, true},
                            {{{"Host", "[::1]:9009"}, {"Origin", "http://[::1]:9009"}}, true},
                            {{{"Host", "a"}, {"Sec-Fetch-Site", "same-origin"}}, true},
                            {{{"Host", "a"}, {"Sec-Fetch-Site", "none"}}, true}});
}

TEST(BrowserGuardTest, KeepsPagesOfOthersFromChangingThings) {
  ExpectPosts(GuardOf(""), {{{{"Host", "a:9009"}, {"Origin", "http://evil.example"}}, false},
                            {{{"Host", "a:9009"}, {"Origin", "http://a:8080"}}, false},
                            {{{"Host", "a:9009"}, {"Origin", "http://a"}}, false},
                            {{{"Host", "a:9009"}, {"Origin", "null"}}, false},
                            {{{"Host", "a:9009"}, {"Origin", "file://"}}, false},
                            {{{"Origin", "http://"}}, false},
                            {{{"Host", "a"}, {"Origin", "http://a.evil.example"}}, false},
                            {{{"Host", "a"}, {"Origin", "http://evil.example/@a"}}, false},
                            {{{"Host", "a"}, {"Sec-Fetch-Site", "cross-site"}}, false},
                            {{{"Host", "a"}, {"Sec-Fetch-Site", "same-site"}}, false}});
  const BrowserGuard guard = GuardOf("");
  const std::vector<api::Header> evil = {{"Host", "a"}, {"Origin", "http://evil.example"}};
  for (const char* method : {"PUT", "DELETE", "PATCH", "POST"}) {
    const auto why = guard.WhyNot(HeadOf(method, evil), api::Role::kAdmin);
    ASSERT_TRUE(why.has_value()) << method;
    EXPECT_THAT(*why, HasSubstr("http://evil.example"));
  }
  for (const char* method : {"GET", "HEAD", "OPTIONS"}) {
    EXPECT_FALSE(guard.WhyNot(HeadOf(method, evil), api::Role::kRead).has_value()) << method;
  }
}

TEST(BrowserGuardTest, TrustsOriginsThatAreConfigured) {
  const GuardCase friendly{{{"Host", "a"}, {"Origin", "http://b.example"}}, true};
  ExpectPosts(GuardOf("http://b\\.example"),
              {friendly, {{{"Host", "a"}, {"Origin", "http://c.example"}}, false}});
  ExpectPosts(GuardOf("", {.external_url = "https://lockstep.example/prefix"}),
              {{{{"Host", "10.0.0.1:9009"}, {"Origin", "https://lockstep.example"}}, true},
               {{{"Host", "10.0.0.1:9009"}, {"Origin", "http://lockstep.example"}}, false}});
  // All pages may read, even with POST, but none may make changes.
  ExpectPosts(GuardOf(".*"), {{friendly.headers, false}});
  EXPECT_FALSE(
      GuardOf(".*").WhyNot(HeadOf("POST", friendly.headers), api::Role::kRead).has_value());
}

TEST(BrowserGuardTest, IsReachedUnderItsNamesAlone) {
  const BrowserGuard guard =
      GuardOf("", {{{"metrics.example", "Other"}}, "https://lockstep.example:8443/"});
  const auto allows = [&](std::string_view host) {
    return !guard.WhyNot(HeadOf("GET", {{"Host", std::string(host)}}), api::Role::kRead);
  };
  for (const char* host : {"127.0.0.1:9009", "10.1.2.3", "[::1]:9009", "[2001:db8::1]", "localhost",
                           "LocalHost:9009", "a.localhost:1", "metrics.example",
                           "METRICS.example:9009", "other", "lockstep.example", ""}) {
    EXPECT_TRUE(allows(host)) << host;
  }
  for (const char* host : {"evil.example", "evil.example:9009", "127.0.0.1.evil.example",
                           "metrics.example.evil.example", "x.metrics.example", "127.1.evil",
                           "[evil.example]", "localhost.evil.example", "2130706433"}) {
    EXPECT_FALSE(allows(host)) << host;
  }
  EXPECT_FALSE(GuardOf("").WhyNot(HeadOf("GET", {{"Host", "evil.example"}}), api::Role::kRead));
  EXPECT_TRUE(GuardOf("", {.allowed_hosts = std::vector<std::string>()})
                  .WhyNot(HeadOf("GET", {{"Host", "evil.example"}}), api::Role::kRead));
}

}  // namespace
}  // namespace lockstep::server
