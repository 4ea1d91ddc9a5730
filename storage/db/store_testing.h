// Helpers for tests of the store: clocks under the test's control, and functions to write and read.
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
#include "storage/kv/files/env.h"
#include "storage/storage.h"
#include "tests/support/test_folder.h"

namespace lockstep {

inline constexpr int64_t kHourMs = 3'600'000;
inline constexpr int64_t kTestNowMs = 1'700'000'000'000;

// A small store of one shard in `folder` at kTestNowMs, over its own FaultEnv.
StoreOptions TestOptions(const TestFolder& folder);
std::unique_ptr<Store> MustOpen(StoreOptions options);

// Clocks that tests advance. Must outlive the store.
class HandClock {
 public:
  explicit HandClock(StoreOptions& options) {
    options.now_ms = [this] { return wall_ms_.load(); };
    options.monotonic_ms = [this] { return monotonic_ms_.load(); };
  }
  // Time passes.
  void Turn(int64_t by_ms) {
    monotonic_ms_ += by_ms;
    wall_ms_ += by_ms;
  }
  // Sets the wall clock, or lets it run on unseen.
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

// The same request from a sender that has asked for the known series: floats of those are sent by
// ref, unless the request also has histograms or start timestamps for them.
WriteRequest WithKnownSeries(const Storage& storage, WriteRequest request);

// "@start", or nothing if it is unknown.
std::string StartText(int64_t start_ms);

// "name{labels}: time=value@start ..." for every series that has samples, floats by their bits, one
// line each: equal answers give equal text, byte by byte.
std::string Dump(const Storage& storage, TimeRange range = {INT64_MIN, INT64_MAX},
                 std::vector<Matcher> matchers = {});
std::string Dump(const Querier& querier, TimeRange range = {INT64_MIN, INT64_MAX},
                 std::vector<Matcher> matchers = {});

}  // namespace lockstep
