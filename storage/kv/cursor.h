// Cursor: walks the rows of one range of one space in key order. Not thread-safe; must not outlive
// its Store nor the snapshot that it was made with.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rocksdb {
class Iterator;
class Slice;
}  // namespace rocksdb

namespace lockstep::kv {

struct KeyRange {
  std::string begin;  // inclusive
  std::string end;    // exclusive; empty: to the last key
};

class Cursor {
 public:
  ~Cursor();
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;

  // False at the end of the range, and after an error.
  bool Valid() const;
  // Precondition for the next three: Valid(). Views live until the next move.
  void Next();
  std::string_view key() const;
  std::string_view value() const;
  // To the first row of the range at or after `key`.
  void Seek(std::string_view key);
  // Asked once, after the loop.
  absl::Status status() const;

 private:
  friend class Store;
  struct Bounds;
  Cursor(std::unique_ptr<Bounds> bounds, std::unique_ptr<rocksdb::Iterator> rows);

  std::unique_ptr<Bounds> bounds_;  // what `rows_` points to; goes after it
  std::unique_ptr<rocksdb::Iterator> rows_;
};

}  // namespace lockstep::kv
