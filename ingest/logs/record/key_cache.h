// The names in one stream, each described once. For one thread.
//
// Log lines repeat the same names in the same order: the lookup first tries the successor of the
// last name, so most lines need no hashing.
#pragma once

#include <smmintrin.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "ingest/logs/record/log_limits.h"
#include "ingest/logs/record/log_record.h"
#include "ingest/logs/record/metric_rows.h"

namespace lockstep::logs {

class KeyCache {
 public:
  // Searches `sources` in this order; they must outlive the cache.
  explicit KeyCache(std::span<const MetricSource> sources) : sources_(sources) {}
  KeyCache(const KeyCache&) = delete;
  KeyCache& operator=(const KeyCache&) = delete;

  // Finds the name `written`, inside the object `parent` unless that is null. Null if it is longer
  // than kMaxKeyBytes or exceeds kMaxKeys.
  const MetricKey* Find(std::string_view written, const MetricKey* parent = nullptr) {
    const Entry* expected = last_ == nullptr ? nullptr : last_->next;
    if (expected != nullptr && expected->parent == parent && expected->written == written) {
      last_ = expected;
      return &expected->key;
    }
    return FindElsewhere(written, parent);
  }

  // Like Find(), for a name up to a quote not located yet: null unless it is the name expected
  // next. At least kMaxKeyBytes must be readable at `written`.
  const MetricKey* FindQuoted(const char* written, const MetricKey* parent) {
    const Entry* expected = last_ == nullptr ? nullptr : last_->next;
    if (expected == nullptr || expected->parent != parent || expected->quoted.empty())
      return nullptr;
    const char* const quoted = expected->quoted.data();
    const char* const end = quoted + expected->quoted.size() - kWordBytes;
    for (const char* word = quoted; word < end; word += kWordBytes, written += kWordBytes) {
      if (!_mm_testc_si128(IsSame(word, written), _mm_set1_epi8(-1))) return nullptr;
    }
    const auto mask = _mm_loadu_si128(reinterpret_cast<const __m128i*>(expected->last_mask.data()));
    if (!_mm_testc_si128(IsSame(end, written), mask)) return nullptr;
    last_ = expected;
    return &expected->key;
  }

  // The size of the last name found, without its parent.
  size_t last_size() const { return last_->written.size(); }

 private:
  static constexpr size_t kWordBytes = sizeof(__m128i);

  // Sets all bits of each byte that is equal.
  static __m128i IsSame(const char* a, const char* b) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                          _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)));
  }

  struct Entry {
    std::string written;  // without its parent
    const MetricKey* parent;
    // The name with its closing quote, in words; last_mask selects the bytes of the last word.
    // Empty for a name that JSON escapes.
    std::string quoted;
    std::array<char, kWordBytes> last_mask{};
    MetricKey key;
    mutable const Entry* next = nullptr;  // the name that followed it last
  };

  const MetricKey* FindElsewhere(std::string_view written, const MetricKey* parent);
  static void SetQuoted(Entry& entry);
  const Entry* Add(std::string_view written, const MetricKey* parent, std::string_view path);

  std::span<const MetricSource> sources_;
  std::vector<std::unique_ptr<Entry>> entries_;
  StringMap<const Entry*> by_path_;
  std::string path_;  // reused
  const Entry* last_ = nullptr;
};

}  // namespace lockstep::logs
