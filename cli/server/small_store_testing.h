// For tests: a small store on disk.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/db/store.h"

namespace lockstep::cli {

// 2023-11-14 22:13:20Z.
inline constexpr int64_t kStoredMs = 1'700'000'000'000;

// Makes the store in `folder`, with one shard and one series of these samples, and closes it.
inline void MakeStore(const std::string& folder, std::vector<Sample> samples) {
  StoreOptions options;
  options.data_dir = folder;
  options.shard_count = 1;
  options.now_ms = [] { return kStoredMs; };
  absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(options);
  ASSERT_TRUE(store.ok()) << store.status();
  if (!samples.empty()) {
    WriteRequest request;
    request.series.push_back(
        {LabelSet::Of({{kMetricName, "up"}, {"job", "a"}}), std::move(samples), {}});
    std::promise<absl::Status> answer;
    (*store)->Write(std::move(request), [&answer](const absl::StatusOr<WriteOutcome>& outcome) {
      answer.set_value(outcome.status());
    });
    const absl::Status status = answer.get_future().get();
    ASSERT_TRUE(status.ok()) << status;
  }
  const absl::Status closed = (*store)->Close();
  ASSERT_TRUE(closed.ok()) << closed;
}

}  // namespace lockstep::cli
