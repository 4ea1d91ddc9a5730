#include "server/certificate_names.h"

#include <arpa/inet.h>
#include <openssl/x509v3.h>

#include <array>

namespace lockstep::server {
namespace {

std::string SubjectOf(X509* certificate) {
  BIO* const out = BIO_new(BIO_s_mem());
  X509_NAME_print_ex(out, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  std::string subject(text, static_cast<size_t>(size));
  BIO_free(out);
  return subject;
}

std::string TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<size_t>(ASN1_STRING_length(text))};
}

// "" if it is none.
std::string IpAddressOf(const ASN1_STRING* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(bytes) != 16) return "";
  inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size());
  return text.data();
}

std::string NameOf(const GENERAL_NAME* name) {
  switch (name->type) {
    case GEN_DNS:
      return TextOf(name->d.dNSName);
    case GEN_EMAIL:
      return TextOf(name->d.rfc822Name);
    case GEN_URI:
      return TextOf(name->d.uniformResourceIdentifier);
    case GEN_IPADD:
      return IpAddressOf(name->d.iPAddress);
    default:
      return "";
  }
}

}  // namespace

std::shared_ptr<const CertificateNames> NamesOfClient(SSL* connection) {
  X509* const certificate = SSL_get1_peer_certificate(connection);
  if (certificate == nullptr) return nullptr;
  auto names = std::make_shared<CertificateNames>();
  names->subject = SubjectOf(certificate);
  auto* const alternatives = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(alternatives); ++i) {
    std::string name = NameOf(sk_GENERAL_NAME_value(alternatives, i));
    // A zero byte would let other programs see another name.
    if (!name.empty() && name.find('\0') == std::string::npos) {
      names->sans.push_back(std::move(name));
    }
  }
  GENERAL_NAMES_free(alternatives);
  X509_free(certificate);
  return names;
}

}  // namespace lockstep::server
