// The load of a kill campaign: what the writers and the deleter of every life send, and how the
// store is opened. It is determined by a seed and by names, so that the checking process can
// reproduce what the killed one had sent.
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

// Every sample of every batch has a different value.
Batch MakeBatch(uint64_t seed, const BatchName& name);
// The batch that contains the value.
BatchName BatchOfValue(double value);

struct Deletion {
  std::vector<std::vector<Matcher>> sets;
  TimeRange range;

  bool Concerns(const LabelSet& labels) const;
};

// Mostly small ranges of a few series, occasionally all series of a writer or a whole hour.
Deletion MakeDeletion(uint64_t seed, int64_t life, int64_t number);

// The limit of a life, which makes the store drop or reject data.
enum class Limit { kNone, kBytes, kSeries };
Limit LimitOf(int64_t life);
inline constexpr uint64_t kMaxSeries = 150;

// The clock of each life stands still, three hours after that of the previous life.
int64_t NowMs(int64_t life);
// The oldest time of the series that has not expired in this life.
int64_t OldestMs(const LabelSet& labels, int64_t life);

// With the retention rules of OldestMs().
StoreOptions OptionsOf(const std::string& folder, int64_t life, Limit limit);
// Advances the monotonic clock by the hours between two lives, until the store trusts the wall
// clock and drops what has expired.
void AwaitTrustedClock(const Store& store);
std::unique_ptr<Store> OpenStoreOf(const std::string& folder, int64_t life, Limit limit);
std::string BackupsOf(const std::string& folder);

// Prints the reason to standard error and ends the process.
[[noreturn]] void Fail(std::string_view why);
void Must(const absl::Status& status);
template <typename T>
T Must(absl::StatusOr<T> result) {
  Must(result.status());
  return *std::move(result);
}

// All samples of the matching series. Ends the process if a series or a time occurs twice.
Batch ReadAll(const Store& store, const std::vector<Matcher>& matchers, TimeRange range);

}  // namespace lockstep
