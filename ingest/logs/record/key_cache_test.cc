#include "ingest/logs/record/key_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace lockstep::logs {
namespace {

constexpr std::array kCacheSources = {MetricSource::kGeneric};

// As a scanner sees it: the name, its quote, and readable bytes.
const MetricKey* FindQuoted(KeyCache& keys, std::string_view text,
                            const MetricKey* parent = nullptr) {
  const std::string padded = std::string(text) + std::string(kMaxKeyBytes, 'x');
  return keys.FindQuoted(padded.data(), parent);
}

TEST(KeyCacheTest, ANameHasOneKey) {
  KeyCache keys(kCacheSources);
  const MetricKey* const loss = keys.Find("loss");
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->written, "loss");
  EXPECT_EQ(loss->name, "train_loss");
  EXPECT_EQ(keys.last_size(), 4u);
  const MetricKey* const step = keys.Find("step");
  EXPECT_EQ(step->role, KeyRole::kStep);
  EXPECT_EQ(step->step_precedence, 5);
  EXPECT_EQ(keys.Find("loss"), loss);
  EXPECT_EQ(keys.Find("step"), step);
  EXPECT_EQ(keys.Find("hostname")->name, "node");
}

TEST(KeyCacheTest, ANameInsideAnObjectIsAnother) {
  KeyCache keys(kCacheSources);
  const MetricKey* const train = keys.Find("train");
  const MetricKey* const inner = keys.Find("loss", train);
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(inner->written, "train.loss");
  EXPECT_EQ(keys.last_size(), 4u);
  const MetricKey* const outer = keys.Find("loss");
  EXPECT_NE(outer, inner);
  // Though it is the name that followed last time.
  keys.Find("train");
  EXPECT_EQ(keys.Find("loss"), outer);
  keys.Find("train");
  EXPECT_EQ(keys.Find("loss", train), inner);
}

TEST(KeyCacheTest, TheNameExpectedNextIsFoundByItsQuote) {
  KeyCache keys(kCacheSources);
  // With its quote, a name is shorter than a word of 16 bytes, as long, or longer.
  for (const size_t size : {1, 14, 15, 16, 17, 31, 32, 47}) {
    const std::string name(size, 'n');
    const MetricKey* const key = keys.Find(name);
    const MetricKey* const step = keys.Find("step");
    EXPECT_EQ(FindQuoted(keys, name + "\""), nullptr) << size;  // unknown what follows a step
    EXPECT_EQ(keys.Find(name), key);
    EXPECT_EQ(FindQuoted(keys, "step\""), step) << size;
    EXPECT_EQ(keys.last_size(), 4u);
    EXPECT_EQ(FindQuoted(keys, name + "n\""), nullptr) << size;
    EXPECT_EQ(FindQuoted(keys, name.substr(1) + "\""), nullptr) << size;
    EXPECT_EQ(FindQuoted(keys, "m" + name.substr(1) + "\""), nullptr) << size;
    EXPECT_EQ(FindQuoted(keys, name + "\"", step), nullptr) << size;
    EXPECT_EQ(FindQuoted(keys, name + "\""), key) << size;
    EXPECT_EQ(keys.last_size(), size);
    keys.Find("other");
  }
}

TEST(KeyCacheTest, ANameThatJsonEscapesIsNotFoundByItsQuote) {
  KeyCache keys(kCacheSources);
  for (const std::string_view name : {"a\"b", "a\\b"}) {
    const MetricKey* const key = keys.Find(name);
    keys.Find("step");
    EXPECT_EQ(keys.Find(name), key);
    keys.Find("step");
    EXPECT_EQ(FindQuoted(keys, std::string(name) + "\""), nullptr);
  }
}

TEST(KeyCacheTest, NamesAreLimited) {
  KeyCache keys(kCacheSources);
  EXPECT_EQ(keys.Find(""), nullptr);
  EXPECT_NE(keys.Find(std::string(kMaxKeyBytes, 'n')), nullptr);
  EXPECT_EQ(keys.Find(std::string(kMaxKeyBytes + 1, 'n')), nullptr);
  for (size_t i = 1; i < kMaxKeys; ++i) ASSERT_NE(keys.Find(std::to_string(i)), nullptr) << i;
  EXPECT_EQ(keys.Find("one more"), nullptr);
  EXPECT_NE(keys.Find("1"), nullptr);
}

}  // namespace
}  // namespace lockstep::logs
