#include "rules/alerts/outbox.h"

#include <algorithm>
#include <utility>

namespace lockstep::rules {
namespace {

constexpr int64_t kMinuteMs = 60'000;
// After this, a receiver that gets repeated notices has resolved the alert by itself.
constexpr int64_t kResolvedIsNewsMs = 15 * kMinuteMs;
// A receiver that gets single notices is sent an end up to this long after the last confirmation.
constexpr int64_t kRememberedMs = 24 * 60 * kMinuteMs;

}  // namespace

void Outbox::Put(const Notice& notice, int64_t now_ms) {
  if (entries_.size() >= prune_at_size_) Prune(now_ms);
  const auto at = entries_.try_emplace(notice.labels).first;
  Entry& entry = at->second;
  std::erase_if(entry.firing_until_ms,
                [now_ms](const auto& source) { return source.second <= now_ms; });
  if (notice.is_resolved) {
    PutResolved(at, notice);
  } else {
    PutFiring(at, notice);
  }
}

void Outbox::PutFiring(Entries::iterator at, const Notice& notice) {
  Entry& entry = at->second;
  if (entry.firing_until_ms.empty()) entry.since_ms = notice.starts_at_ms;
  entry.firing_until_ms[notice.source] = notice.ends_at_ms;
  entry.confirmed_until_ms = std::max(entry.confirmed_until_ms, notice.ends_at_ms);
  const bool is_known = entry.told == Told::kFiring && entry.told_since_ms == entry.since_ms;
  if (!options_.once || !is_known) {
    Enqueue(at, notice);
  } else if (entry.turn != 0) {
    // The end was not sent yet, so what the receiver believes is true again.
    order_.erase(entry.turn);
    entry.turn = 0;
  }
}

void Outbox::PutResolved(Entries::iterator at, const Notice& notice) {
  Entry& entry = at->second;
  entry.firing_until_ms.erase(notice.source);
  if (!entry.firing_until_ms.empty()) return;
  const bool is_news = !options_.once || entry.told == Told::kFiring || entry.turn != 0;
  if (is_news) {
    Enqueue(at, notice);
  } else if (entry.told == Told::kNothing) {
    entries_.erase(at);
  }
}

void Outbox::Enqueue(Entries::iterator at, const Notice& notice) {
  Entry& entry = at->second;
  entry.waiting = notice;
  Confirm(entry);
  if (entry.turn != 0) return;
  if (order_.size() >= options_.max_waiting) DropFirst();
  entry.turn = ++last_turn_;
  order_.emplace(entry.turn, at);
}

void Outbox::DropFirst() {
  order_.begin()->second->second.turn = 0;
  order_.erase(order_.begin());
  ++dropped_;
}

bool Outbox::IsOutdated(const Notice& notice, int64_t now_ms) const {
  if (!notice.is_resolved) return notice.ends_at_ms <= now_ms;
  return !options_.once && now_ms - notice.ends_at_ms > kResolvedIsNewsMs;
}

std::vector<Outbox::Waiting> Outbox::Take(size_t max_count, int64_t now_ms) {
  std::vector<Waiting> taken;
  while (!order_.empty() && taken.size() < max_count) {
    Entry& entry = order_.begin()->second->second;
    if (IsOutdated(entry.waiting, now_ms)) {
      DropFirst();
      continue;
    }
    entry.told = entry.waiting.is_resolved ? Told::kOver : Told::kFiring;
    entry.told_since_ms = entry.since_ms;
    taken.push_back({std::exchange(entry.turn, 0), std::exchange(entry.waiting, Notice())});
    order_.erase(order_.begin());
  }
  return taken;
}

void Outbox::PutBack(std::vector<Waiting> taken) {
  for (Waiting& waiting : taken) {
    const auto at = entries_.try_emplace(waiting.notice.labels).first;
    Entry& entry = at->second;
    // The receiver may have got it nevertheless, so an end that follows now is news.
    entry.told = Told::kNothing;
    if (entry.turn != 0) {
      order_.erase(entry.turn);
    } else {
      entry.waiting = std::move(waiting.notice);
      Confirm(entry);
    }
    entry.turn = waiting.turn;
    order_.emplace(entry.turn, at);
  }
}

void Outbox::Confirm(Entry& entry) {
  if (entry.waiting.is_resolved) return;
  entry.waiting.ends_at_ms = std::max(entry.waiting.ends_at_ms, entry.confirmed_until_ms);
}

void Outbox::Prune(int64_t now_ms) {
  std::erase_if(entries_, [&](const auto& item) {
    const Entry& entry = item.second;
    const bool may_be_asked_for = options_.once && entry.told == Told::kFiring;
    return entry.turn == 0 &&
           entry.confirmed_until_ms + (may_be_asked_for ? kRememberedMs : 0) <= now_ms;
  });
  prune_at_size_ = std::max<size_t>(1'024, 2 * entries_.size());
}

}  // namespace lockstep::rules
