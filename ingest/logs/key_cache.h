// The names of one stream, each described once. For one thread.
//
// Lines of a log have the same names in the same order: the name behind the one found last is the first to be
// compared, and most lines need no hashing at all.
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
#include "ingest/logs/log_limits.h"
#include "ingest/logs/log_record.h"
#include "ingest/logs/metric_rows.h"

namespace lockstep::logs {

class KeyCache {
 public:
  // `sources` are asked in this order and outlive the cache.
  explicit KeyCache(std::span<const MetricSource> sources) : sources_(sources) {}
  KeyCache(const KeyCache&) = delete;
  KeyCache& operator=(const KeyCache&) = delete;

  // The name `written`, inside the object `parent` if that is not null. Null if it is longer than
  // kMaxKeyBytes, or one more than kMaxKeys.
  const MetricKey* Find(std::string_view written, const MetricKey* parent = nullptr) {
    const Entry* expected = last_ == nullptr ? nullptr : last_->next;
    if (expected != nullptr && expected->parent == parent && expected->written == written) {
      last_ = expected;
      return &expected->key;
    }
    return FindElsewhere(written, parent);
  }

  // As Find(), of a name that ends at a quote nobody has looked for yet: null if it is not the name that is
  // expected next. At least kMaxKeyBytes can be read at `written`.
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

  // Bytes of the name found last, within its parent.
  size_t last_size() const { return last_->written.size(); }

 private:
  static constexpr size_t kWordBytes = sizeof(__m128i);

  // All ones in each byte that is the same.
  static __m128i IsSame(const char* a, const char* b) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)),
                          _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)));
  }

  struct Entry {
    std::string written;  // within its parent
    const MetricKey* parent;
    // With the quote behind it, in words of which the last counts where last_mask has ones. Empty for a name that
    // JSON escapes.
    std::string quoted;
    std::array<char, kWordBytes> last_mask{};
    MetricKey key;
    mutable const Entry* next = nullptr;  // what followed it last
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
