// Tests the server with TLS: whom a client's certificate makes it, and what a reload changes.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "server/http_server.h"
#include "server/socket/tls_testing.h"

namespace lockstep::server {
namespace {

using testing::HasSubstr;

// Answers with the name of the user.
class NamingHandler final : public api::Handler {
 public:
  void Handle(api::Request request, api::Respond respond) override {
    api::Response response;
    response.body = "user <" + request.user + ">";
    respond(std::move(response));
  }
  api::Role RoleFor(std::string_view, std::string_view) const override { return api::Role::kRead; }
};

class HttpServerTlsTest : public testing::Test {
 protected:
  HttpServerTlsTest() {
    web_.tls = folder_.ConfigOf(MakeIdentity("server", "DNS:server.example"));
    web_.tls->client_auth = ClientAuth::kVerifyIfGiven;
    web_.tls->client_ca_file = folder_.Write("ca.pem", *authority_.certificate);
    web_.has_roles = true;
  }

  void Start() {
    HttpServerOptions options;
    options.port = 0;
    options.web = web_;
    auto server = HttpServer::Start(options, handler_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  void Grant(const std::string& san, const std::string& subject = "") {
    web_.certificates.push_back({san, subject});
  }

  static bool IsWhole(const std::string& response) {
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t head = response.find("\r\n\r\n");
    const size_t length = response.find(kLength);
    if (head == response.npos || length == response.npos) return false;
    return response.size() >=
           head + 4 + std::strtoul(response.c_str() + length + kLength.size(), nullptr, 10);
  }
  // The whole response to a request of a client with this certificate, "" without a connection.
  // `common_name` receives the name in the server's certificate.
  std::string Ask(const Identity* identity, std::string* common_name = nullptr) {
    const std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>> context(SSL_CTX_new(TLS_client_method()));
    if (identity != nullptr) {
      SSL_CTX_use_certificate(context.get(), identity->certificate.get());
      SSL_CTX_use_PrivateKey(context.get(), identity->key.get());
    }
    const int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string& url = server_->url();
    address.sin_port = htons(static_cast<uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1)));
    EXPECT_EQ(connect(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    std::string response;
    {
      const std::unique_ptr<SSL, Freed<SSL_free>> connection(SSL_new(context.get()));
      SSL_set_fd(connection.get(), socket_fd);
      if (SSL_connect(connection.get()) == 1) {
        if (common_name != nullptr) {
          char name[64] = {};
          X509* const certificate = SSL_get1_peer_certificate(connection.get());
          X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                                    sizeof(name));
          X509_free(certificate);
          *common_name = name;
        }
        constexpr std::string_view kRequest =
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
        SSL_write(connection.get(), kRequest.data(), static_cast<int>(kRequest.size()));
        char bytes[4096];
        int size = 0;
        while (!IsWhole(response) &&
               (size = SSL_read(connection.get(), bytes, static_cast<int>(sizeof(bytes)))) > 0) {
          response.append(bytes, static_cast<size_t>(size));
        }
      }
    }
    close(socket_fd);
    return response;
  }
  // The name that the server gives a client with such a certificate.
  std::string UserWith(const std::string& subject, const std::string& names) {
    const Identity client = MakeIdentity(subject, names, &authority_);
    const std::string response = Ask(&client);
    const size_t begin = response.find("user <");
    if (begin == response.npos) return response.substr(0, response.find("\r\n"));
    return response.substr(begin + 6, response.find('>', begin) - begin - 6);
  }

  CertificateFolder folder_;
  const Identity authority_ = MakeIdentity("authority", "");
  WebConfig web_;
  NamingHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

constexpr const char* kUnauthorized = "HTTP/1.1 401 Unauthorized";

TEST_F(HttpServerTlsTest, TheAddressSaysThatItIsSecure) {
  Start();
  EXPECT_THAT(server_->url(), testing::StartsWith("https://127.0.0.1:"));
}

TEST_F(HttpServerTlsTest, ACertificateNamesItsOwner) {
  for (const char* san :
       {"client.example", "ada@example.org", "spiffe://a/b", "10.0.0.7", "2001:db8::7"}) {
    Grant(san);
  }
  Grant("", "CN=by-subject");
  Start();
  EXPECT_EQ(UserWith("x", "DNS:client.example"), "client.example");
  EXPECT_EQ(UserWith("x", "DNS:a.example,email:ada@example.org"), "ada@example.org");
  EXPECT_EQ(UserWith("x", "URI:spiffe://a/b"), "spiffe://a/b");
  EXPECT_EQ(UserWith("x", "IP:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(UserWith("x", "IP:2001:db8::7"), "2001:db8::7");
  EXPECT_EQ(UserWith("by-subject", ""), "CN=by-subject");
  EXPECT_EQ(UserWith("client.example", ""), kUnauthorized);
  EXPECT_EQ(UserWith("x", "DNS:other.example,RID:1.2.3.4"), kUnauthorized);
}

TEST_F(HttpServerTlsTest, WithoutACertificateAClientIsNobody) {
  Grant("client.example");
  Start();
  EXPECT_THAT(Ask(nullptr), testing::StartsWith(kUnauthorized));
}

TEST_F(HttpServerTlsTest, NamesInCertificatesThatNobodySignedCountForNothing) {
  web_.tls->client_auth = ClientAuth::kRequest;
  web_.tls->client_ca_file = "";
  Grant("client.example");
  Start();
  const Identity stranger = MakeIdentity("x", "DNS:client.example");
  EXPECT_THAT(Ask(&stranger), testing::StartsWith(kUnauthorized));
}

TEST_F(HttpServerTlsTest, AReloadUsesTheNewFiles) {
  web_.has_roles = false;
  Start();
  std::string name;
  EXPECT_THAT(Ask(nullptr, &name), HasSubstr("user <>"));
  EXPECT_EQ(name, "server");
  WebConfig next = web_;
  const TlsServerConfig files = folder_.ConfigOf(MakeIdentity("renewed", "DNS:server.example"));
  next.tls->cert_file = files.cert_file;
  next.tls->key_file = files.key_file;
  next.headers = {{"X-Frame-Options", "DENY"}};
  ASSERT_TRUE(server_->Reload(next).ok());
  EXPECT_THAT(Ask(nullptr, &name), HasSubstr("X-Frame-Options: DENY\r\n"));
  EXPECT_EQ(name, "renewed");
  // What cannot be used changes nothing.
  next.tls->cert_file = folder_.path() + "/none";
  next.headers.clear();
  EXPECT_FALSE(server_->Reload(next).ok());
  EXPECT_THAT(Ask(nullptr, &name), HasSubstr("X-Frame-Options: DENY\r\n"));
  EXPECT_EQ(name, "renewed");
  next.tls.reset();
  EXPECT_EQ(server_->Reload(next),
            absl::FailedPreconditionError("turning TLS on or off requires a restart"));
}

TEST_F(HttpServerTlsTest, FilesThatCannotBeUsedKeepItFromStarting) {
  web_.tls->key_file = folder_.path() + "/none";
  HttpServerOptions options;
  options.port = 0;
  options.web = web_;
  EXPECT_FALSE(HttpServer::Start(options, handler_).ok());
}

}  // namespace
}  // namespace lockstep::server
