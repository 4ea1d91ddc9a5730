#include "identity/attempts.h"

#include <algorithm>
#include <utility>

namespace lockstep::identity {
namespace {

using AttemptTimes = std::map<int64_t, TimeRange>;

void Extend(const TimeRange& by, TimeRange& time) {
  time = {std::min(time.min_ms, by.min_ms), std::max(time.max_ms, by.max_ms)};
}

// When each attempt was seen. A registration that is open is a begin alone.
AttemptTimes TimesOf(const std::vector<Claim>& claims) {
  AttemptTimes times;
  for (const Claim& claim : claims) {
    if (!claim.attempt.has_value()) continue;
    TimeRange seen = claim.time;
    if (claim.is_open) seen.max_ms = seen.min_ms;
    Extend(seen, times.try_emplace(*claim.attempt, seen).first->second);
  }
  return times;
}

// The claim's part in each attempt that it lies in: each attempt lasts until the next one begins.
void Divide(const Claim& claim, const AttemptTimes& times, std::vector<Claim>& divided) {
  for (auto at = times.begin(); at != times.end(); ++at) {
    const auto next = std::next(at);
    const int64_t begin = at == times.begin() ? claim.time.min_ms : at->second.min_ms;
    const int64_t end = next == times.end() ? claim.time.max_ms : next->second.min_ms - 1;
    const TimeRange part{std::max(claim.time.min_ms, begin), std::min(claim.time.max_ms, end)};
    if (part.min_ms > part.max_ms) continue;
    divided.push_back(claim);
    divided.back().attempt = at->first;
    divided.back().time = part;
  }
}

// Who was seen after it was announced left when it was seen last; who was not may still be there.
void Close(const AttemptTimes& times, TimeRange range, Claim& claim) {
  claim.is_open = false;
  claim.time.max_ms = std::min(range.max_ms, claim.last_ms);
  const auto attempt = times.find(claim.attempt.value_or(0));
  if (attempt == times.end()) return;
  const auto next = std::next(attempt);
  if (next != times.end()) {
    claim.time.max_ms = std::min(claim.time.max_ms, next->second.min_ms - 1);
  }
  if (attempt->second.max_ms > claim.time.min_ms) claim.time.max_ms = attempt->second.max_ms;
  claim.time.max_ms = std::max(claim.time.max_ms, claim.time.min_ms);
}

}  // namespace

std::vector<Claim> DivideAmongAttempts(std::vector<Claim> claims, TimeRange range) {
  AttemptTimes times = TimesOf(claims);
  if (times.empty() && !claims.empty()) times[0] = claims.front().time;
  std::vector<Claim> divided;
  std::vector<Claim*> open;
  for (Claim& claim : claims) {
    if (claim.is_open) {
      open.push_back(&claim);
      continue;
    }
    if (claim.attempt.has_value()) {
      divided.push_back(claim);
    } else {
      Divide(claim, times, divided);
    }
  }
  AttemptTimes seen = times;
  for (const Claim& claim : divided) Extend(claim.time, seen.at(*claim.attempt));
  for (Claim* claim : open) {
    if (!claim->attempt.has_value()) claim->attempt = times.begin()->first;
    Close(seen, range, *claim);
    divided.push_back(*claim);
  }
  return divided;
}

}  // namespace lockstep::identity
