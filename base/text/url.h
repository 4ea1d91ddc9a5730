// Encodes text as part of a URL, and removes secrets from URLs for logs and answers. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Writes everything as %XX except letters, digits and "-._~".
std::string PercentEncode(std::string_view text);
// The same, but a space becomes '+', as in Go's url.QueryEscape().
std::string QueryEncode(std::string_view text);

inline constexpr std::string_view kRedacted = "xxxxx";

// Whether a parameter with this name usually holds a secret: "token", "api_key", "X-Amz-Signature".
bool NamesSecret(std::string_view parameter);

// `url` with "xxxxx" in place of its password, as in Go, of a user without a password, and of the
// values of parameters for which NamesSecret() is true.
std::string RedactUrl(std::string_view url);

// Only scheme, host and port: the path of a webhook is often the secret.
std::string RedactUrlToHost(std::string_view url);

}  // namespace lockstep
