// URLs without their secrets, for logs and answers.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

inline constexpr std::string_view kRedacted = "xxxxx";

// Whether a parameter of that name tends to hold a secret: "token", "api_key", "X-Amz-Signature".
bool NamesSecret(std::string_view parameter);

// `url` with "xxxxx" for the password in it, as Go has it, for a user without one, and for the values of parameters that
// NamesSecret() knows.
std::string RedactUrl(std::string_view url);

// Scheme, host and port alone: of webhooks the path is often the secret.
std::string RedactUrlToHost(std::string_view url);

}  // namespace lockstep
