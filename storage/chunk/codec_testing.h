// Shared by the tests of all decoders: damage in all its forms.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "model/sample.h"
#include "storage/chunk/merge_columns.h"

namespace lockstep {

inline constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// `decode` takes a view and returns a Status. No strict prefix of `bytes` may decode.
template <typename Decode>
void ExpectEveryTruncationFails(const std::string& bytes, Decode decode) {
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A separate copy, so that AddressSanitizer sees a read past the end.
    const std::string cut = bytes.substr(0, size);
    EXPECT_EQ(decode(cut).code(), absl::StatusCode::kDataLoss) << "cut to " << size;
  }
}

// Damaged bytes may decode to something else, but the result must be OK or kDataLoss.
template <typename Decode>
void ExpectDamageIsSurvived(const std::string& bytes, Decode decode) {
  const auto survives = [&](const std::string& damaged) {
    const absl::Status status = decode(damaged);
    EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kDataLoss) << status;
  };
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    survives(damaged);
  }
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000 && !bytes.empty(); ++round) {
    std::string damaged = bytes;
    for (int change = 0; change < 1 + round % 4; ++change) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    survives(damaged);
  }
}

inline void ExpectSameColumns(const SampleColumns& a, const SampleColumns& b) {
  EXPECT_EQ(a.timestamps_ms, b.timestamps_ms);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_TRUE(SameBits(a.values[i], b.values[i])) << i;
    EXPECT_EQ(a.StartOf(i), b.StartOf(i)) << i;
  }
  ASSERT_EQ(a.histograms.size(), b.histograms.size());
  for (size_t i = 0; i < a.histograms.size(); ++i) {
    EXPECT_EQ(a.histograms[i].timestamp_ms, b.histograms[i].timestamp_ms);
    EXPECT_TRUE(SameSamples(a.histograms[i], b.histograms[i])) << i;
  }
}

}  // namespace lockstep
