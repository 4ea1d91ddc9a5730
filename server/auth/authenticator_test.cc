#include "server/auth/authenticator.h"

#include <crypt.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <future>

#include "absl/strings/escaping.h"

namespace lockstep::server {
namespace {

// The cheapest possible bcrypt hash.
std::string HashOf(const std::string& password) {
  crypt_data scratch = {};
  return crypt_r(password.c_str(), "$2b$04$abcdefghijklmnopqrstuu", &scratch);
}

Sha256Digest DigestOf(std::string_view token) {
  Sha256Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

std::string Basic(std::string_view user_and_password) {
  return "Basic " + absl::Base64Escape({user_and_password.data(), user_and_password.size()});
}

struct Answer {
  AuthVerdict verdict;
  bool at_once;
  std::string who;
};

WebConfig ConfigOf(std::vector<BasicAuthUser> users, std::vector<BearerToken> tokens) {
  WebConfig web;
  web.users = std::move(users);
  web.tokens = std::move(tokens);
  return web;
}

Answer Ask(Authenticator& authenticator, const std::string& authorization,
           const Peer& peer = {"10.0.0.1:1"}) {
  std::promise<AuthAnswer> later;
  const std::optional<AuthAnswer> now = authenticator.Check(
      authorization, peer, [&later](AuthAnswer answer) { later.set_value(std::move(answer)); });
  const AuthAnswer answer = now ? *now : later.get_future().get();
  return {answer.verdict, now.has_value(), answer.who == nullptr ? "" : answer.who->name};
}

TEST(AuthenticatorTest, WithoutUsersAndTokensEverybodyMayComeIn) {
  Authenticator authenticator(ConfigOf({}, {}));
  EXPECT_EQ(Ask(authenticator, "").verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, "Bearer x").verdict, AuthVerdict::kGranted);
}

TEST(AuthenticatorTest, ChecksPasswords) {
  Authenticator authenticator(
      ConfigOf({{"alice", HashOf("wonder:land")}, {"bob", HashOf("")}}, {}));
  struct Row {
    std::string authorization;
    AuthVerdict verdict;
  };
  for (const Row& row : {
           Row{Basic("alice:wonder:land"), AuthVerdict::kGranted},
           Row{"basic  " + absl::Base64Escape("alice:wonder:land"), AuthVerdict::kGranted},
           Row{Basic("bob:"), AuthVerdict::kGranted},
           Row{Basic("alice:wonder"), AuthVerdict::kDenied},
           Row{Basic("alice:"), AuthVerdict::kDenied},
           Row{Basic("bob:wonder:land"), AuthVerdict::kDenied},
           Row{Basic("carol:wonder:land"), AuthVerdict::kDenied},
           Row{Basic("carol:fakepassword"), AuthVerdict::kDenied},
           Row{Basic("alice"), AuthVerdict::kDenied},
           Row{Basic(std::string_view("alice:wonder:land\0x", 19)), AuthVerdict::kDenied},
           Row{"Basic ???", AuthVerdict::kDenied},
           Row{"Bearer " + absl::Base64Escape("alice:wonder:land"), AuthVerdict::kDenied},
           Row{"alice:wonder:land", AuthVerdict::kDenied},
           Row{"", AuthVerdict::kDenied},
       }) {
    EXPECT_EQ(Ask(authenticator, row.authorization).verdict, row.verdict) << row.authorization;
  }
}

TEST(AuthenticatorTest, RunsBcryptOnceForEachPassword) {
  Authenticator authenticator(ConfigOf({{"alice", HashOf("right")}}, {}));
  for (const char* credentials : {"alice:right", "alice:wrong", "carol:right"}) {
    const Answer first = Ask(authenticator, Basic(credentials));
    EXPECT_FALSE(first.at_once) << credentials;
    const Answer second = Ask(authenticator, Basic(credentials));
    EXPECT_TRUE(second.at_once) << credentials;
    EXPECT_EQ(second.verdict, first.verdict) << credentials;
  }
}

TEST(AuthenticatorTest, ChecksTokens) {
  Authenticator authenticator(
      ConfigOf({}, {{"a", DigestOf("secret-a")}, {"b", DigestOf("secret-b")}}));
  EXPECT_EQ(Ask(authenticator, "Bearer secret-a").verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, "bearer secret-b").verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, "Token secret-a").verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, "Token secret-c").verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "Bearer secret-c").verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "Bearer ").verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, Basic("a:secret-a")).verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "").verdict, AuthVerdict::kDenied);
}

TEST(PasswordCacheTest, ForgetsTheOldestOfItsKind) {
  PasswordCache cache(2);
  const Sha256Digest a = cache.Key("u", "h", "a");
  const Sha256Digest b = cache.Key("u", "h", "b");
  const Sha256Digest c = cache.Key("u", "h", "c");
  cache.Remember(a, true);
  cache.Remember(b, true);
  cache.Remember(a, true);
  cache.Remember(c, true);
  EXPECT_EQ(cache.Find(a), std::nullopt);
  EXPECT_EQ(cache.Find(b), true);
  EXPECT_EQ(cache.Find(c), true);
  for (const char* wrong : {"1", "2", "3"}) cache.Remember(cache.Key("u", "h", wrong), false);
  EXPECT_EQ(cache.Find(cache.Key("u", "h", "1")), std::nullopt);
  EXPECT_EQ(cache.Find(cache.Key("u", "h", "3")), false);
  EXPECT_EQ(cache.Find(b), true);
}

TEST(PasswordCacheTest, KeysTellAllPartsApartAndProcessesToo) {
  PasswordCache cache(2);
  EXPECT_NE(cache.Key("ab", "h", "c"), cache.Key("a", "h", "bc"));
  EXPECT_NE(cache.Key("a", "h", "c"), cache.Key("a", "i", "c"));
  EXPECT_NE(cache.Key("a", "h", "c"), PasswordCache(2).Key("a", "h", "c"));
}

TEST(AuthenticatorTest, KnowsWhoCameIn) {
  Authenticator closed(ConfigOf({{"ada", HashOf("secret")}}, {{"grafana", DigestOf("t0ken")}}));
  EXPECT_EQ(Ask(closed, Basic("ada:secret")).who, "ada");
  EXPECT_EQ(Ask(closed, Basic("ada:secret")).who, "ada");
  EXPECT_EQ(Ask(closed, "Bearer t0ken").who, "grafana");
  Authenticator open(ConfigOf({}, {}));
  EXPECT_EQ(Ask(open, Basic("ada:secret")).who, "");
}

TEST(AuthenticatorTest, TakesCertificatesThatItHasNamesFor) {
  WebConfig web;
  web.has_roles = true;
  web.certificates = {{"agent.example", ""}, {"", "CN=grafana,O=Example"}};
  Authenticator authenticator(web);
  const auto who = [&](const CertificateNames& names, const std::string& authorization = "") {
    return Ask(authenticator, authorization,
               {"10.0.0.1:1", std::make_shared<const CertificateNames>(names)});
  };
  EXPECT_EQ(who({"CN=x", {"other.example", "agent.example"}}).who, "agent.example");
  EXPECT_EQ(who({"CN=grafana,O=Example", {}}).who, "CN=grafana,O=Example");
  for (const CertificateNames& other :
       {CertificateNames{"CN=agent.example", {}}, CertificateNames{"", {"CN=grafana,O=Example"}},
        CertificateNames{"agent.example", {"x.agent.example", ""}}, CertificateNames{}}) {
    EXPECT_EQ(who(other).verdict, AuthVerdict::kDenied) << other.subject;
  }
  // Wrong credentials are rejected despite a valid certificate.
  EXPECT_EQ(who({"", {"agent.example"}}, "Bearer x").verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "").verdict, AuthVerdict::kDenied);
}

TEST(AuthenticatorTest, TakesOthersOnceItIsConfiguredAnew) {
  Authenticator authenticator(
      ConfigOf({{"ada", HashOf("old")}, {"bob", HashOf("bob")}}, {{"t", DigestOf("old")}}));
  EXPECT_EQ(Ask(authenticator, Basic("ada:old")).verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, Basic("bob:bob")).verdict, AuthVerdict::kGranted);
  authenticator.Configure(ConfigOf({{"ada", HashOf("new")}}, {{"t", DigestOf("new")}}));
  EXPECT_EQ(Ask(authenticator, Basic("ada:old")).verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, Basic("ada:new")).verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, Basic("bob:bob")).verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "Bearer old").verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "Bearer new").verdict, AuthVerdict::kGranted);
}

TEST(AuthenticatorTest, WrongPasswordsPushNoRightOneOut) {
  Authenticator authenticator(ConfigOf({{"ada", HashOf("secret")}}, {}));
  Ask(authenticator, Basic("ada:secret"));
  for (int i = 0; i < 1100; ++i) Ask(authenticator, Basic("ada:" + std::to_string(i)));
  EXPECT_TRUE(Ask(authenticator, Basic("ada:secret")).at_once);
}

TEST(CheckQueueTest, HoldsEachNetworkToOneAtATimeAndFewThatWait) {
  std::promise<void> begun;
  std::promise<void> release;
  std::promise<void> other_ran;
  std::promise<void> last_ran;
  CheckQueue queue(2, 2, 1);
  EXPECT_TRUE(queue.TrySubmit("a", [&] {
    begun.set_value();
    release.get_future().wait();
  }));
  begun.get_future().wait();
  EXPECT_TRUE(queue.TrySubmit("a", [&] { last_ran.set_value(); }));
  EXPECT_FALSE(queue.TrySubmit("a", [] { ADD_FAILURE() << "too many wait"; }));
  EXPECT_TRUE(queue.TrySubmit("b", [&] { other_ran.set_value(); }));
  other_ran.get_future().wait();
  release.set_value();
  last_ran.get_future().wait();
}

}  // namespace
}  // namespace lockstep::server
