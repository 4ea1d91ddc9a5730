#include "cli/process/certificates.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace lockstep::cli {
namespace {

class CertificatesTest : public ::testing::Test {
 protected:
  CertificatesTest() { Clear(); }
  ~CertificatesTest() override { Clear(); }

  static void Clear() {
    unsetenv("SSL_CERT_FILE");
    unsetenv("SSL_CERT_DIR");
  }
};

TEST_F(CertificatesTest, AreThoseOfTheSystem) {
  UseSystemCertificates();
  const char* file = std::getenv("SSL_CERT_FILE");
  const char* debian = "/etc/ssl/certs/ca-certificates.crt";
  if (access(debian, R_OK) == 0) {
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(std::string(file), debian);
  }
  if (file != nullptr) {
    EXPECT_EQ(access(file, R_OK), 0) << file;
  }
}

TEST_F(CertificatesTest, AreThoseThatTheUserChose) {
  setenv("SSL_CERT_FILE", "/mine", 1);
  UseSystemCertificates();
  EXPECT_EQ(std::string(std::getenv("SSL_CERT_FILE")), "/mine");
  Clear();
  setenv("SSL_CERT_DIR", "/mine", 1);
  UseSystemCertificates();
  EXPECT_EQ(std::getenv("SSL_CERT_FILE"), nullptr);
}

}  // namespace
}  // namespace lockstep::cli
