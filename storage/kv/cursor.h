// Cursor: iterates over the rows of one range of one space in key order. Not thread-safe; must not
// outlive its Store or the snapshot that it was created with.
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
  // Precondition of the next three: Valid(). Views live until the next move.
  void Next();
  std::string_view key() const;
  std::string_view value() const;
  // Moves to the first row of the range at or after `key`.
  void Seek(std::string_view key);
  // Replaces the range and moves to its first row, which is much cheaper than a new cursor.
  // Precondition: both ranges have an end.
  void Seek(KeyRange range);
  // Check it once, after the loop.
  absl::Status status() const;

 private:
  friend class Store;
  struct Bounds;
  Cursor(std::unique_ptr<Bounds> bounds, std::unique_ptr<rocksdb::Iterator> rows);

  std::unique_ptr<Bounds> bounds_;  // `rows_` points to it, so it is destroyed after it
  std::unique_ptr<rocksdb::Iterator> rows_;
};

}  // namespace lockstep::kv
