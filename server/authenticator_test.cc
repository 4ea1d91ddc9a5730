#include "server/authenticator.h"

#include <crypt.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <future>

#include "absl/strings/escaping.h"

namespace lockstep::server {
namespace {

// The cheapest bcrypt there is.
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
};

Answer Ask(Authenticator& authenticator, const std::string& authorization) {
  std::promise<AuthVerdict> later;
  const std::optional<AuthVerdict> now = authenticator.Check(
      authorization, [&later](AuthVerdict verdict) { later.set_value(verdict); });
  if (now) return {*now, true};
  return {later.get_future().get(), false};
}

TEST(AuthenticatorTest, WithoutUsersAndTokensEverybodyMayComeIn) {
  Authenticator authenticator({}, {});
  EXPECT_EQ(Ask(authenticator, "").verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, "Bearer x").verdict, AuthVerdict::kGranted);
}

TEST(AuthenticatorTest, ChecksPasswords) {
  Authenticator authenticator({{"alice", HashOf("wonder:land")}, {"bob", HashOf("")}}, {});
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
  Authenticator authenticator({{"alice", HashOf("right")}}, {});
  for (const char* credentials : {"alice:right", "alice:wrong", "carol:right"}) {
    const Answer first = Ask(authenticator, Basic(credentials));
    EXPECT_FALSE(first.at_once) << credentials;
    const Answer second = Ask(authenticator, Basic(credentials));
    EXPECT_TRUE(second.at_once) << credentials;
    EXPECT_EQ(second.verdict, first.verdict) << credentials;
  }
}

TEST(AuthenticatorTest, ChecksTokens) {
  Authenticator authenticator({}, {{"a", DigestOf("secret-a")}, {"b", DigestOf("secret-b")}});
  EXPECT_EQ(Ask(authenticator, "Bearer secret-a").verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, "bearer secret-b").verdict, AuthVerdict::kGranted);
  EXPECT_EQ(Ask(authenticator, "Bearer secret-c").verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "Bearer ").verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, Basic("a:secret-a")).verdict, AuthVerdict::kDenied);
  EXPECT_EQ(Ask(authenticator, "").verdict, AuthVerdict::kDenied);
}

TEST(PasswordCacheTest, ForgetsTheOldest) {
  PasswordCache cache(2);
  const Sha256Digest a = cache.Key("u", "h", "a");
  const Sha256Digest b = cache.Key("u", "h", "b");
  const Sha256Digest c = cache.Key("u", "h", "c");
  cache.Remember(a, true);
  cache.Remember(b, false);
  cache.Remember(a, true);
  cache.Remember(c, true);
  EXPECT_EQ(cache.Find(a), std::nullopt);
  EXPECT_EQ(cache.Find(b), false);
  EXPECT_EQ(cache.Find(c), true);
}

TEST(PasswordCacheTest, KeysTellAllPartsApartAndProcessesToo) {
  PasswordCache cache(2);
  EXPECT_NE(cache.Key("ab", "h", "c"), cache.Key("a", "h", "bc"));
  EXPECT_NE(cache.Key("a", "h", "c"), cache.Key("a", "i", "c"));
  EXPECT_NE(cache.Key("a", "h", "c"), PasswordCache(2).Key("a", "h", "c"));
}

TEST(AuthenticatorTest, KnowsWhoCameIn) {
  Authenticator closed({{"ada", HashOf("secret")}}, {{"grafana", DigestOf("t0ken")}});
  EXPECT_EQ(closed.NameOf(Basic("ada:secret")), "ada");
  EXPECT_EQ(closed.NameOf("Bearer t0ken"), "grafana");
  Authenticator open({}, {});
  EXPECT_EQ(open.NameOf(Basic("ada:secret")), "");
}

}  // namespace
}  // namespace lockstep::server
