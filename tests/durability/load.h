// The load of a kill campaign: what the writers and the deleter of every life send, and how the store is
// opened for it. All of it follows from a seed and from names alone, so that the process that judges makes
// again what the one that was killed had sent.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "model/sample.h"
#include "storage/db/store.h"

namespace lockstep {

inline constexpr int kWriterCount = 4;
inline constexpr uint32_t kShardCount = 2;

struct BatchName {
  int64_t life = 0;
  int64_t writer = 0;
  int64_t number = 0;
};

using Times = std::map<int64_t, double>;  // in ms, to values
using Batch = std::map<LabelSet, Times>;

// No two batches share a value, and no two samples of one.
Batch MakeBatch(uint64_t seed, const BatchName& name);
// Which batch sent it.
BatchName BatchOfValue(double value);

struct Deletion {
  std::vector<std::vector<Matcher>> sets;
  TimeRange range;

  bool Concerns(const LabelSet& labels) const;
};

// Mostly a little here and there, now and then all of a writer or of one hour.
Deletion MakeDeletion(uint64_t seed, int64_t life, int64_t number);

// What a life does, beside writing and deleting, to make room.
enum class Limit { kNone, kBytes, kSeries };
Limit LimitOf(int64_t life);
inline constexpr uint64_t kMaxSeries = 150;

// Each life's clock stands still, three hours after that of the one before.
int64_t NowMs(int64_t life);
// The oldest sample of such a series that a life shows.
int64_t OldestMs(const LabelSet& labels, int64_t life);

// With the rules of retention that OldestMs() is about.
StoreOptions OptionsOf(const std::string& folder, int64_t life, Limit limit);
// The hours between two lives pass for the monotonic clock too, until the store believes the wall
// clock and drops what has expired.
void AwaitTrustedClock(const Store& store);
std::unique_ptr<Store> OpenStoreOf(const std::string& folder, int64_t life, Limit limit);
std::string BackupsOf(const std::string& folder);

// Ends the process; the reason is on standard error.
[[noreturn]] void Fail(std::string_view why);
void Must(const absl::Status& status);
template <typename T>
T Must(absl::StatusOr<T> result) {
  Must(result.status());
  return *std::move(result);
}

// All that the store has of these series; fails if a series is there twice, or a time.
Batch ReadAll(const Store& store, const std::vector<Matcher>& matchers, TimeRange range);

}  // namespace lockstep
