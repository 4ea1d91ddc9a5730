#include "base/text/url.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

struct UrlParts {
  std::string_view scheme;    // with "://"; "" if there is none
  std::string_view userinfo;  // without '@'
  std::string_view host;      // with the port
  std::string_view rest;      // path, query, fragment
};

UrlParts PartsOf(std::string_view url) {
  UrlParts parts;
  if (const size_t colon = url.find("://"); colon != std::string_view::npos) {
    parts.scheme = url.substr(0, colon + 3);
    url.remove_prefix(colon + 3);
  }
  const size_t end = std::min(url.find_first_of("/?#"), url.size());
  parts.rest = url.substr(end);
  parts.host = url.substr(0, end);
  if (const size_t at = parts.host.rfind('@'); at != std::string_view::npos) {
    parts.userinfo = parts.host.substr(0, at);
    parts.host.remove_prefix(at + 1);
  }
  return parts;
}

std::string RedactUser(std::string_view userinfo) {
  if (userinfo.empty()) return "";
  const size_t colon = userinfo.find(':');
  // A user without a password is as often a token as a name.
  if (colon == std::string_view::npos) return absl::StrFormat("%s@", kRedacted);
  return absl::StrFormat("%s:%s@", userinfo.substr(0, colon), kRedacted);
}

std::string RedactParameters(std::string_view rest) {
  const size_t question = rest.find('?');
  if (question == std::string_view::npos) return std::string(rest);
  std::string out(rest.substr(0, question + 1));
  rest.remove_prefix(question + 1);
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find_first_of("&#"));
    rest.remove_prefix(parameter.size());
    const size_t equals = parameter.find('=');
    const std::string_view name = parameter.substr(0, equals);
    if (equals != std::string_view::npos && NamesSecret(name)) {
      absl::StrAppendFormat(&out, "%s=%s", name, kRedacted);
    } else {
      out += parameter;
    }
    if (rest.empty()) break;
    out += rest.front();
    rest.remove_prefix(1);
  }
  return out;
}

std::string EncodeUrlText(std::string_view text, std::string_view space) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded += c;
    } else if (c == ' ') {
      encoded += space;
    } else {
      absl::StrAppendFormat(&encoded, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace

std::string PercentEncode(std::string_view text) { return EncodeUrlText(text, "%20"); }

std::string QueryEncode(std::string_view text) { return EncodeUrlText(text, "+"); }

bool NamesSecret(std::string_view parameter) {
  std::string name(parameter);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const std::string_view word :
       {"token", "secret", "passw", "pwd", "key", "auth", "credential", "signature", "sig"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string RedactUrl(std::string_view url) {
  const UrlParts parts = PartsOf(url);
  return absl::StrFormat("%s%s%s%s", parts.scheme, RedactUser(parts.userinfo), parts.host,
                         RedactParameters(parts.rest));
}

std::string RedactUrlToHost(std::string_view url) {
  const UrlParts parts = PartsOf(url);
  return absl::StrFormat("%s%s", parts.scheme, parts.host);
}

}  // namespace lockstep
