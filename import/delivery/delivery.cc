#include "import/delivery/delivery.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{500};
constexpr milliseconds kLongestPause{30'000};

// Parses Retry-After in seconds; its date form is not worth supporting.
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

std::string Describe(const Reply& reply) {
  return absl::StrFormat("the server answered %d: %s", reply.status, OneLine(reply.body));
}

absl::StatusOr<Reply> Delivery::Send(const Outgoing& request) {
  milliseconds pause = kFirstPause;
  milliseconds waited{0};
  while (true) {
    absl::StatusOr<Reply> reply = post_(request);
    if (!reply.ok() && !reached_) return reply.status();
    reached_ = true;
    if (reply.ok() && !MayPass(reply->status)) return reply;
    const std::string problem =
        reply.ok() ? Describe(*reply) : std::string(Message(reply.status()));
    const milliseconds next = reply.ok() ? PauseOf(reply->retry_after, pause) : pause;
    if (waited >= patience_.longest || !wait_(next)) {
      return absl::UnavailableError(
          absl::StrFormat("gave up after %d s: %s", waited.count() / 1000, problem));
    }
    waited += std::max(next, milliseconds(1));
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace lockstep::importer
