#include "ingest/rate_limit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"
#include "base/status.h"

namespace lockstep {
namespace {

constexpr char kRetryAfterPayload[] = "lockstep/retry-after-seconds";

// As a fraction of the rate.
constexpr double kSharedPart = 7.0 / 8;
constexpr double kSmallPart = 1 - kSharedPart;
constexpr double kSmallRequestPart = 1.0 / 100;

using Buckets = StringMap<double>;

// The share of a client that was not active lately. It reduces the shares of others, which shrink
// as they refill.
double ShareOf(const Buckets& buckets, double per_second) {
  return kSharedPart * per_second / static_cast<double>(std::max<size_t>(buckets.size(), 1));
}

// A client whose bucket is full again no longer counts as active.
void FillEach(Buckets& buckets, double per_second, double seconds) {
  const double share = ShareOf(buckets, per_second);
  absl::erase_if(buckets, [&](auto& bucket) {
    bucket.second += seconds * share;
    return bucket.second >= share;
  });
}

bool HasTokens(const Buckets& buckets, const std::string& name) {
  const auto found = buckets.find(name);
  return found == buckets.end() || found->second > 0;
}

// The bucket does not fall below `lowest`.
void TakeFrom(Buckets& buckets, const std::string& name, double count, double lowest,
              double per_second) {
  if (name.empty()) return;
  const auto [bucket, is_new] = buckets.try_emplace(name);
  double& tokens = bucket->second;
  if (is_new) tokens = ShareOf(buckets, per_second);
  tokens = std::max(tokens - count, std::min(tokens, lowest));
}

// The time until a negative bucket is positive again.
std::chrono::seconds WaitFor(double tokens, double per_second) {
  return std::chrono::seconds(static_cast<int64_t>(std::max(1.0, std::ceil(-tokens / per_second))));
}

}  // namespace

RateLimit::RateLimit(uint64_t samples_per_second, std::function<Clock::time_point()> now,
                     std::string_view whose)
    : now_(std::move(now)),
      whose_(whose),
      per_second_(static_cast<double>(samples_per_second)),
      tokens_(per_second_),
      small_tokens_(kSmallPart * per_second_),
      filled_at_(now_()) {}

absl::Status RateLimit::Admit(const ClientId& client, uint64_t sample_count) {
  const auto count = static_cast<double>(sample_count);
  MutexLock lock(mutex_);
  if (per_second_ == 0 && client.max_samples_per_second == 0) return absl::OkStatus();
  Fill();
  OwnBucket* const own = OwnBucketOf(client);
  if (own != nullptr && own->tokens <= 0) {
    return ComeAgainIn(
        WaitFor(own->tokens, own->per_second),
        absl::StrFormat("over the limit of %.0f samples per second of the credential "
                        "\"%s\" (lockstep_roles)",
                        own->per_second, client.user));
  }
  LOCKSTEP_RETURN_IF_ERROR(AdmitToAll(client, count));
  if (own != nullptr) own->tokens -= count;
  return absl::OkStatus();
}

absl::Status RateLimit::AdmitToAll(const ClientId& client, double count) {
  if (per_second_ == 0) return absl::OkStatus();
  if (const Entry entry = EntryFor(client, count); entry != Entry::kNone) {
    Take(client, count, entry);
    return absl::OkStatus();
  }
  return ComeAgainIn(
      WaitFor(tokens_, per_second_),
      absl::StrFormat("over the limit of %.0f samples per second %s", per_second_, whose_));
}

RateLimit::OwnBucket* RateLimit::OwnBucketOf(const ClientId& client) {
  if (client.max_samples_per_second == 0) return nullptr;
  const auto per_second = static_cast<double>(client.max_samples_per_second);
  OwnBucket& own = own_[client.user];
  if (own.per_second != per_second) own = {per_second, per_second};
  return &own;
}

void RateLimit::SetRate(uint64_t samples_per_second) {
  MutexLock lock(mutex_);
  const auto per_second = static_cast<double>(samples_per_second);
  if (per_second == per_second_) return;
  per_second_ = per_second;
  tokens_ = per_second;
  small_tokens_ = kSmallPart * per_second;
  by_network_.clear();
  by_user_.clear();
  filled_at_ = now_();
}

void RateLimit::Fill() {
  const Clock::time_point now = now_();
  const std::chrono::duration<double> passed = std::max(now - filled_at_, Clock::duration::zero());
  filled_at_ = std::max(now, filled_at_);
  const double seconds = passed.count();
  tokens_ = std::min(tokens_ + seconds * per_second_, per_second_);
  const double small_per_second = kSmallPart * per_second_;
  small_tokens_ = std::min(small_tokens_ + seconds * small_per_second, small_per_second);
  FillEach(by_network_, per_second_, seconds);
  FillEach(by_user_, per_second_, seconds);
  for (auto& [user, own] : own_) {
    own.tokens = std::min(own.tokens + seconds * own.per_second, own.per_second);
  }
}

RateLimit::Entry RateLimit::EntryFor(const ClientId& client, double count) const {
  if (tokens_ > 0) return Entry::kCommon;
  if (count <= kSmallRequestPart * per_second_ && small_tokens_ >= count) return Entry::kSmall;
  const bool has_share = !client.network.empty() && HasTokens(by_network_, client.network) &&
                         HasTokens(by_user_, client.user);
  return has_share ? Entry::kShare : Entry::kNone;
}

void RateLimit::Take(const ClientId& client, double count, Entry entry) {
  tokens_ -= count;
  if (entry == Entry::kSmall) small_tokens_ -= count;
  // A client that used spare capacity does not owe it to those that come later.
  const double lowest = entry == Entry::kShare ? std::numeric_limits<double>::lowest() : tokens_;
  TakeFrom(by_network_, client.network, count, lowest, per_second_);
  TakeFrom(by_user_, client.user, count, lowest, per_second_);
}

absl::Status ComeAgainIn(std::chrono::seconds wait, std::string_view why) {
  absl::Status status = absl::ResourceExhaustedError(
      absl::StrFormat("%s; nothing was stored, retry in %d s", why, wait.count()));
  status.SetPayload(kRetryAfterPayload, absl::Cord(std::to_string(wait.count())));
  return status;
}

std::optional<std::chrono::seconds> RetryAfter(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryAfterPayload);
  if (!payload.has_value()) return std::nullopt;
  const std::string text(*payload);
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(seconds);
}

}  // namespace lockstep
