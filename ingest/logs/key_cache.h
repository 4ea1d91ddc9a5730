// The names of one stream, each described once. For one thread.
//
// Lines of a log have the same names in the same order: the name behind the one found last is the first to be
// compared, and most lines need no hashing at all.
#pragma once

#include <cstdint>
#include <cstring>
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
    uint64_t word = 0;
    const size_t last_word = expected->quoted.size() - 1;
    for (size_t i = 0; i < last_word; ++i) {
      std::memcpy(&word, written + i * sizeof(word), sizeof(word));
      if (word != expected->quoted[i]) return nullptr;
    }
    std::memcpy(&word, written + last_word * sizeof(word), sizeof(word));
    if ((word & expected->last_mask) != expected->quoted[last_word]) return nullptr;
    last_ = expected;
    return &expected->key;
  }

  // Bytes of the name found last, within its parent.
  size_t last_size() const { return last_->written.size(); }

 private:
  struct Entry {
    std::string written;  // within its parent
    const MetricKey* parent;
    // With the quote behind it, in words of eight bytes of which the last has zeros where last_mask has. Empty
    // for a name that JSON escapes.
    std::vector<uint64_t> quoted;
    uint64_t last_mask = 0;
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
