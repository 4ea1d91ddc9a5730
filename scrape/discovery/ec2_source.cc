// Amazon EC2 as a source of targets. Each lookup lists all instances that match the filters, page
// by page; the ids of availability zones are looked up once.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/text/url.h"
#include "scrape/discovery/aws_signing.h"
#include "scrape/discovery/ec2_answers.h"
#include "scrape/discovery/sources.h"
#include "scrape/http_fetch.h"

namespace lockstep::scrape {
namespace {

using Clock = std::chrono::steady_clock;

// For all pages of one lookup. Reading the keys has its own timeout.
constexpr milliseconds kPagesTimeout{30'000};
constexpr milliseconds kZonesTimeout{5'000};
// Keeps a page at a few MB.
constexpr int kInstancesPerPage = 500;
constexpr int kMaxPages = 1'000;
constexpr uint64_t kMaxPageBytes = uint64_t{32} << 20;
constexpr uint64_t kMaxZonesBytes = 256 << 10;
constexpr size_t kMaxReasonBytes = 300;

std::string EndpointOf(const Ec2Discovery& config, std::string_view region) {
  if (!config.endpoint.empty()) return config.endpoint + "/";
  // China's regions have their own domain.
  const std::string_view end = region.starts_with("cn-") ? ".cn" : "";
  return absl::StrFormat("https://ec2.%s.amazonaws.com%s/", region, end);
}

std::string FiltersOf(const Ec2Discovery& config) {
  std::string parameters;
  for (size_t i = 0; i < config.filters.size(); ++i) {
    const Ec2Filter& filter = config.filters[i];
    const std::string prefix = absl::StrFormat("&Filter.%d.", i + 1);
    absl::StrAppendFormat(&parameters, "%sName=%s", prefix, PercentEncode(filter.name));
    for (size_t j = 0; j < filter.values.size(); ++j) {
      absl::StrAppendFormat(&parameters, "%sValue.%d=%s", prefix, j + 1,
                            PercentEncode(filter.values[j]));
    }
  }
  return parameters;
}

class Ec2Source : public TargetSource {
 public:
  explicit Ec2Source(Ec2Discovery config) : config_(std::move(config)) {}

  std::string name() const override {
    if (!config_.endpoint.empty()) return absl::StrFormat("EC2 at %s", config_.endpoint);
    return config_.region.empty() ? "EC2" : absl::StrFormat("EC2 in %s", config_.region);
  }

  absl::StatusOr<std::optional<FoundTargets>> Look() override {
    LOCKSTEP_ASSIGN_OR_RETURN(signing_, Ec2SigningOf(config_, is_cancelled()));
    deadline_ = Clock::now() + kPagesTimeout;
    if (zones_.empty()) AskZones();
    auto found = ListInstances();
    fetch_.DropBody();
    signing_ = AwsSigning();
    if (!found.ok()) return Annotate(found.status(), "DescribeInstances");
    return *std::move(found);
  }

 private:
  // Without the permission for this, only instances that report a zone id get that label.
  void AskZones() {
    if (!Call("DescribeAvailabilityZones", "", kZonesTimeout, kMaxZonesBytes).ok()) return;
    absl::StatusOr<Ec2Zones> zones = ReadEc2Zones(fetch_.body());
    if (zones.ok()) zones_ = *std::move(zones);
  }

  absl::StatusOr<FoundTargets> ListInstances() {
    const std::string query =
        absl::StrFormat("&MaxResults=%d%s", kInstancesPerPage, FiltersOf(config_));
    FoundTargets found;
    std::string next;
    for (int page_count = 0; page_count < kMaxPages; ++page_count) {
      const std::string more =
          next.empty() ? "" : absl::StrFormat("&NextToken=%s", PercentEncode(next));
      const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
      LOCKSTEP_RETURN_IF_ERROR(Call("DescribeInstances", query + more, left, kMaxPageBytes));
      LOCKSTEP_ASSIGN_OR_RETURN(Ec2Page page, ReadEc2Page(fetch_.body()));
      LOCKSTEP_RETURN_IF_ERROR(AddEc2Targets(page, signing_.region, zones_, config_.port, found));
      if (page.next_token.empty()) return found;
      next = std::move(page.next_token);
    }
    return absl::OutOfRangeError(
        absl::StrFormat("the list of instances has more than %d pages", kMaxPages));
  }

  // Sends a request; the response is then in fetch_.
  absl::Status Call(std::string_view action, const std::string& parameters, milliseconds timeout,
                    uint64_t max_body_bytes) {
    if (timeout <= milliseconds(0)) {
      return absl::DeadlineExceededError(
          absl::StrFormat("the pages took longer than %d ms", kPagesTimeout.count()));
    }
    FetchOptions options;
    options.url = EndpointOf(config_, signing_.region);
    options.headers = {"Content-Type: application/x-www-form-urlencoded; charset=utf-8"};
    options.post_body = absl::StrFormat("Action=%s&Version=2016-11-15%s", action, parameters);
    options.timeout = timeout;
    options.max_body_bytes = max_body_bytes;
    options.http = config_.http;
    options.aws_signing = signing_;
    options.is_cancelled = &is_cancelled();
    const absl::Status status = fetch_.Send(options);
    return status.ok() ? status : Refusal(status);
  }

  // EC2's own error instead of the body, without secrets that it may quote from the request.
  absl::Status Refusal(const absl::Status& status) const {
    const std::string answer = fetch_.StatusText();
    // Otherwise the request failed on the way and there is no response to read.
    const bool has_answer = !answer.empty() && Message(status).starts_with(answer);
    if (!has_answer) return status;
    std::string reason = Ec2Refusal(fetch_.body());
    if (reason.empty()) return {status.code(), answer};
    for (const std::string* const secret : {&signing_.secret_key, &signing_.session_token}) {
      if (!secret->empty()) absl::StrReplaceAll({{*secret, std::string(kRedacted)}}, &reason);
    }
    return {status.code(), absl::StrFormat("%s: %s", answer, reason.substr(0, kMaxReasonBytes))};
  }

  const Ec2Discovery config_;
  HttpFetch fetch_;
  AwsSigning signing_;          // of the current lookup
  Clock::time_point deadline_;  // likewise
  Ec2Zones zones_;
};

}  // namespace

std::unique_ptr<TargetSource> MakeEc2Source(Ec2Discovery config) {
  return std::make_unique<Ec2Source>(std::move(config));
}

}  // namespace lockstep::scrape
