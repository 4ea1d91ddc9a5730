// Shared by tests of TLS: certificates that live for an hour, and their files.
#pragma once

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "server/auth/web_config.h"
#include "tests/support/test_folder.h"

namespace lockstep::server {

template <auto free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    free(object);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freed<X509_free>>;
using ContextPtr = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using ConnectionPtr = std::unique_ptr<SSL, Freed<SSL_free>>;

// A certificate and its key.
struct Identity {
  KeyPtr key;
  CertificatePtr certificate;
};

// `names` as in OpenSSL's configuration: "DNS:a.example,IP:10.0.0.1". Without an issuer it signs
// itself.
inline Identity MakeIdentity(const std::string& subject, const std::string& names,
                             const Identity* issuer = nullptr) {
  Identity made{KeyPtr(EVP_EC_gen("P-256")), CertificatePtr(X509_new())};
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  static long serial = 1;
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(subject.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate,
                       issuer == nullptr ? name : X509_get_subject_name(issuer->certificate.get()));
  const auto extend = [certificate](int kind, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    EXPECT_NE(extension, nullptr) << value;
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  };
  if (issuer == nullptr) extend(NID_basic_constraints, "critical,CA:TRUE");
  if (!names.empty()) extend(NID_subject_alt_name, names);
  X509_sign(certificate, issuer == nullptr ? made.key.get() : issuer->key.get(), EVP_sha256());
  return made;
}

// A folder for their files.
class CertificateFolder {
 public:
  const std::string& path() const { return folder_.path(); }

  // Return the path of the file.
  std::string Write(const std::string& name, X509& certificate) const {
    return WriteFile(name, [&](BIO* file) { PEM_write_bio_X509(file, &certificate); });
  }
  std::string Write(const std::string& name, EVP_PKEY& key) const {
    return WriteFile(name, [&](BIO* file) {
      PEM_write_bio_PrivateKey(file, &key, nullptr, nullptr, 0, nullptr, nullptr);
    });
  }

  // The configuration of a server with this identity.
  TlsServerConfig ConfigOf(const Identity& server) const {
    TlsServerConfig config;
    config.cert_file = Write("cert.pem", *server.certificate);
    config.key_file = Write("key.pem", *server.key);
    config.min_version = TLS1_2_VERSION;
    config.max_version = TLS1_3_VERSION;
    return config;
  }

 private:
  template <typename WriteTo>
  std::string WriteFile(const std::string& name, WriteTo write) const {
    const std::string path = folder_.path() + "/" + name;
    BIO* file = BIO_new_file(path.c_str(), "w");
    EXPECT_NE(file, nullptr) << path;
    write(file);
    BIO_free(file);
    return path;
  }

  const TestFolder folder_;
};

}  // namespace lockstep::server
