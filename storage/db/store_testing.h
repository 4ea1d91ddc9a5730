// For tests of the store: a clock that stands still, and words to write and read with.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/db/store.h"
#include "storage/kv/env.h"
#include "storage/kv/test_folder.h"
#include "storage/storage.h"

namespace lockstep {

inline constexpr int64_t kHourMs = 3'600'000;
inline constexpr int64_t kTestNowMs = 1'700'000'000'000;

// A small store of one shard in `folder` at kTestNowMs, over a FaultEnv of its own.
StoreOptions TestOptions(const kv::TestFolder& folder);
std::unique_ptr<Store> MustOpen(StoreOptions options);

// Clocks that tests turn. Must outlive the store.
class HandClock {
 public:
  explicit HandClock(StoreOptions& options) {
    options.now_ms = [this] { return wall_ms_.load(); };
    options.monotonic_ms = [this] { return monotonic_ms_.load(); };
  }
  // Time goes by.
  void Turn(int64_t by_ms) {
    monotonic_ms_ += by_ms;
    wall_ms_ += by_ms;
  }
  // Somebody sets the wall clock, or it goes on while nobody looks.
  void Leap(int64_t by_ms) { wall_ms_ += by_ms; }
  int64_t now_ms() const { return wall_ms_; }

 private:
  std::atomic<int64_t> wall_ms_ = kTestNowMs;
  std::atomic<int64_t> monotonic_ms_ = 0;
};

LabelSet Series(std::string_view name, std::string_view job = "train", int number = 0);

// Waits for the answer.
absl::StatusOr<WriteOutcome> WriteAndWait(Storage& storage, WriteRequest request);
absl::StatusOr<WriteOutcome> WriteFloats(Storage& storage, const LabelSet& labels,
                                         std::vector<Sample> samples);

// The same request as a sender makes it who has asked which series the storage knows: floats of those,
// unless the request has histograms or start timestamps of them too, go by their refs.
WriteRequest WithKnownSeries(const Storage& storage, WriteRequest request);

// "@start", or nothing if it is unknown.
std::string StartText(int64_t start_ms);

// "name{labels}: time=value@start ..." for every series that has samples, floats by their bits, a line
// each: equal for equal answers, byte by byte.
std::string Dump(const Storage& storage, TimeRange range = {INT64_MIN, INT64_MAX},
                 std::vector<Matcher> matchers = {});
std::string Dump(const Querier& querier, TimeRange range = {INT64_MIN, INT64_MAX},
                 std::vector<Matcher> matchers = {});

}  // namespace lockstep
