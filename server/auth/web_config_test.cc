#include "server/auth/web_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/tls1.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "tests/support/test_folder.h"

namespace lockstep::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHash = "$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi";

TEST(WebConfigTest, ReadsEverythingThatPrometheusKnows) {
  const absl::StatusOr<WebConfig> config = ParseWebConfig(
      "tls_server_config:\n"
      "  cert_file: server.crt\n"
      "  key_file: /etc/keys/server.key\n"
      "  client_auth_type: RequireAndVerifyClientCert\n"
      "  client_ca_file: ca.crt\n"
      "  client_allowed_sans: [a.example]\n"
      "  min_version: TLS13\n"
      "  max_version: TLS13\n"
      "  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]\n"
      "  prefer_server_cipher_suites: false\n"
      "  curve_preferences: [X25519]\n"
      "http_server_config:\n"
      "  http2: true\n"
      "  headers:\n"
      "    X-Frame-Options: deny\n"
      "basic_auth_users:\n"
      "  alice: " +
          std::string(kHash) + "\n",
      "conf/web.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_TRUE(config->tls.has_value());
  EXPECT_EQ(config->tls->cert_file, "conf/server.crt");
  EXPECT_EQ(config->tls->key_file, "/etc/keys/server.key");
  EXPECT_EQ(config->tls->client_ca_file, "conf/ca.crt");
  EXPECT_EQ(config->tls->client_auth, ClientAuth::kRequireAndVerify);
  EXPECT_THAT(config->tls->client_allowed_sans, ElementsAre("a.example"));
  EXPECT_EQ(config->tls->min_version, TLS1_3_VERSION);
  EXPECT_FALSE(config->tls->prefer_server_cipher_suites);
  ASSERT_EQ(config->headers.size(), 1u);
  EXPECT_EQ(config->headers[0].name, "X-Frame-Options");
  ASSERT_EQ(config->users.size(), 1u);
  EXPECT_EQ(config->users[0].name, "alice");
  EXPECT_EQ(config->users[0].bcrypt_hash, kHash);
}

TEST(WebConfigTest, TlsIsModernUnlessToldOtherwise) {
  const absl::StatusOr<WebConfig> config =
      ParseWebConfig("tls_server_config: {cert_file: a, key_file: b}", "web.yml");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->tls->min_version, TLS1_2_VERSION);
  EXPECT_EQ(config->tls->client_auth, ClientAuth::kNone);
}

TEST(WebConfigTest, ReadsTokensByDigestAndFromFiles) {
  const TestFolder folder;
  folder.Write("grafana.token", "  test\n");
  // sha256sum of "test"
  const std::string digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  const absl::StatusOr<WebConfig> config = ParseWebConfig(
      "lockstep_bearer_tokens:\n"
      "  trainer: {sha256: " +
          digest +
          "}\n"
          "  grafana: {file: grafana.token}\n",
      folder.path() + "/web.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_EQ(config->tokens.size(), 2u);
  for (const BearerToken& token : config->tokens) {
    const std::string bytes(token.digest.begin(), token.digest.end());
    EXPECT_EQ(absl::BytesToHexString(bytes), digest) << token.name;
  }
}

TEST(WebConfigTest, AnEmptyFileAsksForNothing) {
  const absl::StatusOr<WebConfig> config = ParseWebConfig("", "web.yml");
  ASSERT_TRUE(config.ok());
  EXPECT_FALSE(config->tls.has_value());
  EXPECT_TRUE(config->users.empty());
}

TEST(WebConfigTest, SaysWhatIsWrongAndWhere) {
  struct Row {
    std::string_view yaml, error;
  };
  for (const Row& row : {
           Row{"tls_config: {}\n",
               "web.yml line 1: unknown key \"tls_config\"; the known keys are "
               "tls_server_config, http_server_config, basic_auth_users, "
               "lockstep_bearer_tokens"},
           Row{"tls_server_config:\n  cert: x\n",
               "web.yml line 2: unknown key \"cert\" in tls_server_config; the known keys are"},
           Row{"tls_server_config:\n  cert_file: x\n",
               "web.yml line 2: tls_server_config requires cert_file and key_file"},
           Row{"tls_server_config: {cert_file: x, key_file: y, client_auth_type: Maybe}\n",
               "web.yml line 1: client_auth_type is \"Maybe\"; expected NoClientCert, "},
           Row{"tls_server_config: {cert_file: x, key_file: y, client_ca_file: z}\n",
               "client_ca_file requires a client_auth_type that verifies"},
           Row{"tls_server_config:\n"
               "  {cert_file: x, key_file: y, client_auth_type: VerifyClientCertIfGiven}\n",
               "this client_auth_type requires client_ca_file"},
           Row{"tls_server_config: {cert_file: x, key_file: y, min_version: TLS13, "
               "max_version: TLS12}\n",
               "min_version is later than max_version"},
           Row{"tls_server_config: {cert_file: [x], key_file: y}\n",
               "web.yml line 1: cert_file has to be a string"},
           Row{"http_server_config: {http2: maybe}\n", "http2 has to be true or false"},
           Row{"http_server_config: {headers: {X-Own: a}}\n", "unknown key \"X-Own\" in headers"},
           Row{"basic_auth_users: [alice]\n", "basic_auth_users must map users to hashes"},
           Row{"basic_auth_users:\n  alice: hunter2\n",
               "web.yml line 2: the password of user \"alice\" is not a bcrypt hash"},
           Row{"lockstep_bearer_tokens: {a: {}}\n", "token \"a\" requires either sha256 or file"},
           Row{"lockstep_bearer_tokens: {a: {sha256: hunter2}}\n",
               "sha256 of token \"a\" must be 64 hexadecimal digits"},
           // If a colon is missing, the secret is part of the key, or all of it.
           Row{"lockstep_bearer_tokens: {a: {sha256 hunter2}}\n", "token \"a\" has an unknown key"},
           Row{"lockstep_bearer_tokens: {a: {hunter2}}\n", "expected sha256 or file"},
           Row{"tls_server_config: {cert_file hunter2}\n",
               "unknown key \"cert_file\" in tls_server_config"},
           Row{"lockstep_bearer_tokens: {a: {file: not-there}}\n", "cannot read \"not-there\""},
           Row{"a: 1\na: 2\n", "web.yml line 1: unknown key \"a\""},
           Row{"http_server_config:\nhttp_server_config:\n",
               "web.yml line 2: duplicate key \"http_server_config\""},
           Row{"tls_server_config: {\n", "invalid YAML"},
       }) {
    const absl::Status status = ParseWebConfig(row.yaml, "web.yml").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.yaml;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(std::string(row.error)));
    EXPECT_THAT(std::string(Message(status)), Not(HasSubstr("hunter2")));
  }
}

std::string WithRoles(std::string_view roles) {
  return absl::StrFormat(
      "tls_server_config: {cert_file: a, key_file: b, client_ca_file: c, client_auth_type: "
      "VerifyClientCertIfGiven}\n"
      "lockstep_roles:\n%s\n"
      "basic_auth_users: {alice: %s, bob: %s}\n"
      "lockstep_bearer_tokens: {trainer: {sha256: %s}}\n",
      roles, kHash, kHash, std::string(64, '0'));
}

TEST(WebConfigTest, WithoutRolesEverybodyHasAll) {
  const absl::StatusOr<WebConfig> config =
      ParseWebConfig(absl::StrFormat("basic_auth_users: {alice: %s}", kHash), "web.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->has_roles);
  EXPECT_TRUE(config->users[0].grant.roles.Allows(api::Role::kAdmin));
}

TEST(WebConfigTest, WithRolesNobodyHasWhatItDoesNotSay) {
  const absl::StatusOr<WebConfig> config =
      ParseWebConfig(WithRoles("- {user: alice, roles: [read, metrics]}\n"
                               "- {token: trainer, roles: [push, write], jobs: \"llm-.*\"}\n"
                               "- {certificate_san: grafana.example, roles: [read]}\n"
                               "- {certificate_subject: \"CN=ops,O=Example\", roles: [admin]}"),
                     "web.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->has_roles);
  const auto roles = [](const api::Grant& grant) {
    std::string names;
    for (const api::Role role : {api::Role::kRead, api::Role::kWrite, api::Role::kPush,
                                 api::Role::kRules, api::Role::kMetrics, api::Role::kAdmin}) {
      if (grant.roles.Allows(role)) absl::StrAppendFormat(&names, "%s ", api::Name(role));
    }
    return names;
  };
  EXPECT_EQ(roles(config->users[0].grant), "read metrics ");
  EXPECT_EQ(roles(config->users[1].grant), "");
  EXPECT_EQ(roles(config->tokens[0].grant), "write push ");
  ASSERT_TRUE(config->tokens[0].grant.jobs.has_value());
  EXPECT_TRUE(config->tokens[0].grant.jobs->Matches("llm-7"));
  EXPECT_FALSE(config->tokens[0].grant.jobs->Matches("a-llm-7"));
  ASSERT_EQ(config->certificates.size(), 2u);
  EXPECT_EQ(config->certificates[0].san, "grafana.example");
  EXPECT_EQ(roles(config->certificates[0].grant), "read ");
  EXPECT_EQ(config->certificates[1].subject, "CN=ops,O=Example");
  EXPECT_EQ(roles(config->certificates[1].grant), "read write push rules metrics admin ");
}

TEST(WebConfigTest, AnEmptyListOfRolesGivesNone) {
  const absl::StatusOr<WebConfig> config = ParseWebConfig("lockstep_roles: []", "web.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->wants_credentials());
}

TEST(WebConfigTest, SaysWhatIsWrongWithRoles) {
  struct Row {
    std::string roles;
    std::string complaint;
  };
  for (const Row& row : {
           Row{"- {user: carol, roles: [read]}", "there is no user \"carol\""},
           Row{"- {token: alice, roles: [read]}", "there is no token \"alice\""},
           Row{"- {user: alice, roles: [reader]}", "\"reader\" is not a role"},
           Row{"- {user: alice, roles: [none]}", "\"none\" is not a role"},
           Row{"- {user: alice, role: [read]}", "role"},
           Row{"- {roles: [read]}", "must name one user"},
           Row{"- {user: alice, token: trainer, roles: [read]}", "must name one user"},
           Row{"- {user: alice, roles: [read]}\n- {user: alice, roles: [write]}", "twice"},
           Row{"- {user: alice, roles: [read, rules], jobs: a}", "jobs limits what is read"},
           Row{"- {user: alice, roles: [write, admin], jobs: a}", "jobs limits what is read"},
           Row{"- {user: alice, roles: [write], max_samples_per_second: 0}",
               "a positive whole number"},
           Row{"- {user: alice, roles: [read], tenants: []}", "must name at least one tenant"},
           Row{"- {user: alice, roles: [read], tenants: [a, \"*\"]}",
               "\"*\" must be the only entry"},
           Row{"- {user: alice, roles: [read], tenants: [a b]}", "a tenant name must be"},
           Row{"- {user: alice, roles: [write], jobs: \"(\"}", "missing closing )"},
           Row{"  alice: admin", "must be a list"},
       }) {
    const absl::StatusOr<WebConfig> config = ParseWebConfig(WithRoles(row.roles), "web.yml");
    ASSERT_FALSE(config.ok()) << row.roles;
    EXPECT_THAT(std::string(Message(config.status())), HasSubstr(row.complaint));
    EXPECT_THAT(std::string(Message(config.status())), HasSubstr("web.yml line "));
  }
  EXPECT_THAT(std::string(Message(
                  ParseWebConfig("lockstep_roles: [{certificate_san: a, roles: [read]}]", "web.yml")
                      .status())),
              HasSubstr("client_auth_type that verifies"));
}

}  // namespace
}  // namespace lockstep::server
