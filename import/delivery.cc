#include "import/delivery.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{500};
constexpr milliseconds kLongestPause{30'000};

// Retry-After in seconds; its other form, a date, is not worth a clock.
milliseconds PauseOf(const std::string& retry_after, milliseconds otherwise) {
  int seconds = 0;
  const char* end = retry_after.data() + retry_after.size();
  const auto [at, error] = std::from_chars(retry_after.data(), end, seconds);
  if (error != std::errc() || at != end || seconds < 0) return otherwise;
  return std::min(milliseconds(seconds * int64_t{1000}), kLongestPause);
}

bool MayPass(int status) { return status == 429 || status >= 500; }

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

absl::StatusOr<Delivered> Delivery::Send(std::string_view body) {
  milliseconds pause = kFirstPause;
  milliseconds waited{0};
  while (true) {
    const absl::StatusOr<Reply> reply = post_(body);
    if (!reply.ok() && !reached_) return reply.status();
    reached_ = true;
    if (reply.ok() && reply->status / 100 == 2) return Delivered::kWhole;
    if (reply.ok() && reply->status == 400) {
      complaint_ = OneLine(reply->body);
      return Delivered::kPartly;
    }
    const std::string problem = reply.ok() ? absl::StrFormat("the server answered %d: %s",
                                                             reply->status, OneLine(reply->body))
                                           : std::string(Message(reply.status()));
    if (reply.ok() && !MayPass(reply->status)) return absl::FailedPreconditionError(problem);
    if (waited >= patience_) {
      return absl::UnavailableError(
          absl::StrFormat("gave up after %d s: %s", waited.count() / 1000, problem));
    }
    const milliseconds next = reply.ok() ? PauseOf(reply->retry_after, pause) : pause;
    wait_(next);
    waited += std::max(next, milliseconds(1));
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace lockstep::importer
