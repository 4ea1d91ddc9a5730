#include "server/socket/tls_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>

#include <optional>
#include <string>
#include <vector>

#include "server/socket/tls_testing.h"

namespace lockstep::server {
namespace {

// What a client offers.
struct ClientOffer {
  int min_version = TLS1_2_VERSION;
  int max_version = TLS1_3_VERSION;
  const Identity* identity = nullptr;
  std::string ciphers{};  // of TLS 1.2
  std::string groups{};
  std::string protocols{};  // of ALPN, each after its length
};

struct Agreement {
  int version = 0;
  std::string cipher;
  int group = 0;
  std::string protocol;
  bool agreed_on_protocol = false;
  bool sees_authorities = false;  // the client was told whose certificates are wanted
};

// The outcome of a handshake; nothing if it failed.
std::optional<Agreement> Handshake(TlsContext& tls, const ClientOffer& offer) {
  const ContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), offer.min_version);
  SSL_CTX_set_max_proto_version(context.get(), offer.max_version);
  if (offer.identity != nullptr) {
    SSL_CTX_use_certificate(context.get(), offer.identity->certificate.get());
    SSL_CTX_use_PrivateKey(context.get(), offer.identity->key.get());
  }
  if (!offer.ciphers.empty()) SSL_CTX_set_cipher_list(context.get(), offer.ciphers.c_str());
  if (!offer.groups.empty()) SSL_CTX_set1_groups_list(context.get(), offer.groups.c_str());
  if (!offer.protocols.empty()) {
    SSL_CTX_set_alpn_protos(context.get(),
                            reinterpret_cast<const unsigned char*>(offer.protocols.data()),
                            static_cast<unsigned>(offer.protocols.size()));
  }
  const ConnectionPtr client(SSL_new(context.get()));
  const ConnectionPtr server(SSL_new(tls.native()));
  BIO* of_client = nullptr;
  BIO* of_server = nullptr;
  BIO_new_bio_pair(&of_client, 1 << 16, &of_server, 1 << 16);
  SSL_set_bio(client.get(), of_client, of_client);
  SSL_set_bio(server.get(), of_server, of_server);
  SSL_set_connect_state(client.get());
  SSL_set_accept_state(server.get());
  for (bool client_done = false, server_done = false; !client_done || !server_done;) {
    for (auto [connection, done] :
         {std::pair(client.get(), &client_done), std::pair(server.get(), &server_done)}) {
      const int result = SSL_do_handshake(connection);
      *done = result == 1;
      if (result != 1 && SSL_get_error(connection, result) != SSL_ERROR_WANT_READ) {
        ERR_clear_error();
        return std::nullopt;
      }
    }
  }
  Agreement agreement;
  agreement.version = SSL_version(server.get());
  agreement.cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(server.get()));
  agreement.group = static_cast<int>(SSL_get_negotiated_group(server.get()));
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(client.get(), &protocol, &size);
  agreement.protocol.assign(reinterpret_cast<const char*>(protocol), size);
  agreement.agreed_on_protocol = tls.Agreed(server.get());
  const STACK_OF(X509_NAME)* authorities = SSL_get0_peer_CA_list(client.get());
  agreement.sees_authorities = authorities != nullptr && sk_X509_NAME_num(authorities) > 0;
  return agreement;
}

class TlsContextTest : public testing::Test {
 protected:
  TlsContextTest() {
    config_ = folder_.ConfigOf(MakeIdentity("server", "DNS:server.example"));
    ca_file_ = folder_.Write("ca.pem", *authority_.certificate);
  }

  std::unique_ptr<TlsContext> Make(const std::string& protocol = "") const {
    auto tls = TlsContext::Make(config_, protocol);
    EXPECT_TRUE(tls.ok()) << tls.status();
    return *std::move(tls);
  }
  std::string ErrorOf(const std::string& protocol = "") const {
    const auto tls = TlsContext::Make(config_, protocol);
    return tls.ok() ? "" : std::string(Message(tls.status()));
  }
  bool Accepts(const Identity* client) const {
    return Handshake(*Make(), {.identity = client}).has_value();
  }

  CertificateFolder folder_;
  TlsServerConfig config_;
  const Identity authority_ = MakeIdentity("authority", "");
  std::string ca_file_;
  const Identity known_ = MakeIdentity("client", "DNS:client.example", &authority_);
  const Identity stranger_ = MakeIdentity("client", "DNS:client.example");
};

TEST_F(TlsContextTest, VersionsAreThoseOfTheConfiguration) {
  EXPECT_EQ(Handshake(*Make(), {})->version, TLS1_3_VERSION);
  EXPECT_EQ(Handshake(*Make(), {.max_version = TLS1_2_VERSION})->version, TLS1_2_VERSION);
  config_.min_version = TLS1_3_VERSION;
  EXPECT_FALSE(Handshake(*Make(), {.max_version = TLS1_2_VERSION}).has_value());
  config_.min_version = TLS1_2_VERSION;
  config_.max_version = TLS1_2_VERSION;
  EXPECT_EQ(Handshake(*Make(), {})->version, TLS1_2_VERSION);
  EXPECT_FALSE(Handshake(*Make(), {.min_version = TLS1_3_VERSION}).has_value());
}

TEST_F(TlsContextTest, FilesThatCannotBeUsedAreNamed) {
  const TlsServerConfig good = config_;
  config_.cert_file = folder_.path() + "/none";
  EXPECT_THAT(ErrorOf(),
              testing::StartsWith("cannot use cert_file \"" + folder_.path() + "/none\": "));
  config_ = good;
  config_.key_file = folder_.path() + "/none";
  EXPECT_THAT(ErrorOf(),
              testing::StartsWith("cannot use key_file \"" + folder_.path() + "/none\": "));
  config_ = good;
  config_.client_auth = ClientAuth::kRequireAndVerify;
  config_.client_ca_file = folder_.path() + "/none";
  EXPECT_THAT(ErrorOf(),
              testing::StartsWith("cannot use client_ca_file \"" + folder_.path() + "/none\": "));
}

TEST_F(TlsContextTest, AKeyMustBeThatOfTheCertificate) {
  config_.key_file = folder_.Write("other.pem", *known_.key);
  EXPECT_EQ(ErrorOf(), "cannot use key_file \"" + config_.key_file + "\": key values mismatch");
  const KeyPtr rsa(EVP_RSA_gen(2048));
  config_.key_file = folder_.Write("rsa.pem", *rsa);
  EXPECT_THAT(ErrorOf(), testing::HasSubstr(config_.key_file));
}

constexpr const char* kAes128 = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
constexpr const char* kAes256 = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";

TEST_F(TlsContextTest, CipherSuitesHaveTheNamesOfIana) {
  const ClientOffer offer{.max_version = TLS1_2_VERSION};
  for (const char* suite : {kAes128, kAes256}) {
    config_.cipher_suites = {suite};
    EXPECT_EQ(Handshake(*Make(), offer)->cipher, suite);
  }
  config_.cipher_suites = {kAes256, "TLS_ROT13"};
  EXPECT_EQ(ErrorOf(), "unknown cipher suite \"TLS_ROT13\"");
}

TEST_F(TlsContextTest, TheServersOrderOfSuitesMayCount) {
  const ClientOffer offer{.max_version = TLS1_2_VERSION,
                          .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384"};
  config_.cipher_suites = {kAes256, kAes128};
  config_.prefer_server_cipher_suites = true;
  EXPECT_EQ(Handshake(*Make(), offer)->cipher, kAes256);
  config_.prefer_server_cipher_suites = false;
  EXPECT_EQ(Handshake(*Make(), offer)->cipher, kAes128);
}

TEST_F(TlsContextTest, CurvesHaveTheNamesOfGo) {
  const std::pair<std::string, int> curves[] = {{"CurveP256", NID_X9_62_prime256v1},
                                                {"CurveP384", NID_secp384r1},
                                                {"CurveP521", NID_secp521r1},
                                                {"X25519", NID_X25519}};
  for (const auto& [name, group] : curves) {
    config_.curve_preferences = {name};
    const auto agreement = Handshake(*Make(), {});
    ASSERT_TRUE(agreement.has_value()) << name;
    EXPECT_EQ(agreement->group, group) << name;
  }
  config_.curve_preferences = {"X25519", "CurveP521"};
  EXPECT_EQ(Handshake(*Make(), {.groups = "P-521"})->group, NID_secp521r1);
  EXPECT_EQ(Handshake(*Make(), {.groups = "X25519"})->group, NID_X25519);
  EXPECT_FALSE(Handshake(*Make(), {.groups = "P-384"}).has_value());
  config_.curve_preferences = {"X25519", "P-256"};
  EXPECT_EQ(ErrorOf(),
            "unknown curve \"P-256\"; expected CurveP256, CurveP384, CurveP521 or X25519");
}

TEST_F(TlsContextTest, AProtocolIsNegotiated) {
  const auto tls = Make("h2");
  const auto agreement = Handshake(*tls, {.protocols = "\x08http/1.1\x02h2"});
  ASSERT_TRUE(agreement.has_value());
  EXPECT_EQ(agreement->protocol, "h2");
  EXPECT_TRUE(agreement->agreed_on_protocol);
  EXPECT_FALSE(Handshake(*tls, {.protocols = "\x08http/1.1"}).has_value());
  // Whoever offers nothing gets a connection, which has not agreed.
  EXPECT_FALSE(Handshake(*tls, {})->agreed_on_protocol);
  EXPECT_TRUE(Handshake(*Make(), {})->agreed_on_protocol);
  EXPECT_EQ(Handshake(*Make(), {.protocols = "\x02h2"})->protocol, "");
}

// RFC 9113, 9.2.
TEST_F(TlsContextTest, AProtocolForbidsOldVersions) {
  config_.min_version = TLS1_VERSION;
  config_.max_version = TLS1_1_VERSION;
  EXPECT_EQ(ErrorOf("h2"), "h2 requires TLS 1.2 or newer, which max_version excludes");
  EXPECT_EQ(ErrorOf(), "");
  config_.max_version = TLS1_2_VERSION;
  EXPECT_EQ(SSL_CTX_get_min_proto_version(Make("h2")->native()), TLS1_2_VERSION);
  EXPECT_EQ(SSL_CTX_get_min_proto_version(Make()->native()), TLS1_VERSION);
  config_.min_version = TLS1_3_VERSION;
  config_.max_version = TLS1_3_VERSION;
  EXPECT_EQ(SSL_CTX_get_min_proto_version(Make("h2")->native()), TLS1_3_VERSION);
}

TEST_F(TlsContextTest, ClientsIdentifyThemselvesAsConfigured) {
  const struct {
    ClientAuth auth;
    bool takes_none;
    bool takes_strangers;
    bool verifies;
  } rows[] = {{ClientAuth::kNone, true, true, false},
              {ClientAuth::kRequest, true, true, false},
              {ClientAuth::kRequireAny, false, true, false},
              {ClientAuth::kVerifyIfGiven, true, false, true},
              {ClientAuth::kRequireAndVerify, false, false, true}};
  for (const auto& row : rows) {
    config_.client_auth = row.auth;
    config_.client_ca_file = row.verifies ? ca_file_ : "";
    EXPECT_EQ(Accepts(nullptr), row.takes_none) << static_cast<int>(row.auth);
    EXPECT_EQ(Accepts(&stranger_), row.takes_strangers) << static_cast<int>(row.auth);
    EXPECT_TRUE(Accepts(&known_)) << static_cast<int>(row.auth);
    EXPECT_EQ(Make()->verifies_clients(), row.verifies);
    EXPECT_EQ(Handshake(*Make(), {.identity = &known_})->sees_authorities, row.verifies);
  }
}

TEST_F(TlsContextTest, OnlyAllowedNamesMayConnect) {
  config_.client_auth = ClientAuth::kRequireAndVerify;
  config_.client_ca_file = ca_file_;
  config_.client_allowed_sans = {"other.example", "client.example", "ada@example.org", "10.0.0.7"};
  const auto accepts = [this](const std::string& subject, const std::string& names) {
    const Identity client = MakeIdentity(subject, names, &authority_);
    return Accepts(&client);
  };
  EXPECT_TRUE(accepts("x", "DNS:client.example"));
  EXPECT_TRUE(accepts("x", "DNS:a.example,DNS:other.example"));
  EXPECT_TRUE(accepts("x", "email:ada@example.org"));
  EXPECT_TRUE(accepts("x", "IP:10.0.0.7"));
  EXPECT_FALSE(accepts("x", "DNS:a.client.example"));
  EXPECT_FALSE(accepts("x", "email:eve@example.org"));
  EXPECT_FALSE(accepts("x", "IP:10.0.0.8"));
  EXPECT_FALSE(accepts("x", "DNS:*.example"));
  EXPECT_FALSE(accepts("client.example", "DNS:a.example"));
  EXPECT_FALSE(accepts("client.example", ""));
  // A name alone does not help.
  EXPECT_FALSE(Accepts(&stranger_));
  EXPECT_FALSE(Accepts(nullptr));
}

}  // namespace
}  // namespace lockstep::server
