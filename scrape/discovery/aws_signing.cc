#include "scrape/discovery/aws_signing.h"

#include <simdjson.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/text/url.h"
#include "scrape/discovery/environment.h"

namespace lockstep::scrape {
namespace {

constexpr std::string_view kMetadataUrl = "http://169.254.169.254";
constexpr milliseconds kMetadataTimeout{5'000};  // of one request; there are at most four
constexpr uint64_t kMaxMetadataBytes = 64 << 10;

// Client of the instance metadata service, version 2.
class InstanceMetadata {
 public:
  explicit InstanceMetadata(const std::atomic<bool>& is_cancelled) : is_cancelled_(is_cancelled) {
    const std::string_view given = EnvironmentAt("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    url_ = given.empty() ? kMetadataUrl : given;
    while (url_.ends_with('/')) url_.pop_back();
  }

  absl::StatusOr<std::string> Get(const std::string& path) {
    if (token_.empty()) {
      LOCKSTEP_ASSIGN_OR_RETURN(
          token_, Ask("PUT", "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 60"));
    }
    return Ask("GET", absl::StrFormat("/latest/meta-data/%s", path),
               absl::StrFormat("X-aws-ec2-metadata-token: %s", token_));
  }

 private:
  absl::StatusOr<std::string> Ask(const std::string& method, const std::string& path,
                                  std::string header) {
    if (absl::AsciiStrToLower(std::string(EnvironmentAt("AWS_EC2_METADATA_DISABLED"))) == "true") {
      return absl::FailedPreconditionError("AWS_EC2_METADATA_DISABLED is set");
    }
    FetchOptions options;
    options.url = url_ + path;
    options.method = method;
    options.headers = {std::move(header)};
    options.timeout = kMetadataTimeout;
    options.max_body_bytes = kMaxMetadataBytes;
    options.http.follow_redirects = false;
    options.is_cancelled = &is_cancelled_;
    const absl::Status status = fetch_.Send(options);
    if (!status.ok()) return Annotate(status, path);
    std::string text = fetch_.body();
    absl::StripAsciiWhitespace(&text);
    return text;
  }

  const std::atomic<bool>& is_cancelled_;
  std::string url_;
  std::string token_;
  HttpFetch fetch_;
};

absl::Status SetRegion(const Ec2Discovery& config, InstanceMetadata& metadata,
                       AwsSigning& signing) {
  signing.region = config.region.empty() ? EnvironmentAt("AWS_REGION") : config.region;
  if (signing.region.empty()) {
    absl::StatusOr<std::string> region = metadata.Get("placement/region");
    if (!region.ok()) {
      return Annotate(region.status(),
                      "there is neither region nor AWS_REGION, and the instance's metadata");
    }
    signing.region = *std::move(region);
  }
  if (IsAwsRegion(signing.region)) return absl::OkStatus();
  return absl::InvalidArgumentError("AWS_REGION, or the instance's metadata, names no region");
}

absl::Status SetKeysOfEnvironment(AwsSigning& signing) {
  signing.access_key = EnvironmentAt("AWS_ACCESS_KEY_ID");
  signing.secret_key = EnvironmentAt("AWS_SECRET_ACCESS_KEY");
  if (signing.access_key.empty() != signing.secret_key.empty()) {
    return absl::FailedPreconditionError(
        "the environment has one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, not both");
  }
  if (!signing.access_key.empty()) signing.session_token = EnvironmentAt("AWS_SESSION_TOKEN");
  return absl::OkStatus();
}

absl::Status SetKeysOfRole(InstanceMetadata& metadata, AwsSigning& signing) {
  constexpr std::string_view kRoles = "iam/security-credentials/";
  LOCKSTEP_ASSIGN_OR_RETURN(std::string role, metadata.Get(std::string(kRoles)));
  role.resize(std::min(role.find('\n'), role.size()));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string json,
                            metadata.Get(absl::StrFormat("%s%s", kRoles, PercentEncode(role))));
  simdjson::dom::parser parser;
  simdjson::dom::element keys;
  std::string_view access_key, secret_key, session_token;
  if (parser.parse(json).get(keys) != simdjson::SUCCESS ||
      keys["AccessKeyId"].get(access_key) != simdjson::SUCCESS ||
      keys["SecretAccessKey"].get(secret_key) != simdjson::SUCCESS ||
      keys["Token"].get(session_token) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("the keys of the instance's role are not as expected");
  }
  signing.access_key = access_key;
  signing.secret_key = secret_key;
  signing.session_token = session_token;
  return absl::OkStatus();
}

absl::Status SetKeys(const Ec2Discovery& config, InstanceMetadata& metadata, AwsSigning& signing) {
  signing.access_key = config.access_key;
  signing.secret_key = config.secret_key;
  if (!signing.access_key.empty()) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(SetKeysOfEnvironment(signing));
  if (!signing.access_key.empty()) return absl::OkStatus();
  const absl::Status status = SetKeysOfRole(metadata, signing);
  if (status.ok()) return status;
  return Annotate(status,
                  "there is neither access_key nor AWS_ACCESS_KEY_ID, and the instance's metadata");
}

// Keys become part of a header.
bool IsPrintable(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

absl::StatusOr<AwsSigning> Ec2SigningOf(const Ec2Discovery& config,
                                        const std::atomic<bool>& is_cancelled) {
  InstanceMetadata metadata(is_cancelled);
  AwsSigning signing;
  signing.service = "ec2";
  LOCKSTEP_RETURN_IF_ERROR(SetRegion(config, metadata, signing));
  LOCKSTEP_RETURN_IF_ERROR(SetKeys(config, metadata, signing));
  for (const std::string* const text :
       {&signing.access_key, &signing.secret_key, &signing.session_token}) {
    if (IsPrintable(*text)) continue;
    return absl::InvalidArgumentError("a key for AWS has a space or a character beyond ASCII");
  }
  return signing;
}

}  // namespace lockstep::scrape
