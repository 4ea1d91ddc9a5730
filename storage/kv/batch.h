// Batch: changes that a Store applies atomically. Not thread-safe; must not outlive its Store.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "storage/kv/space.h"

namespace rocksdb {
class ColumnFamilyHandle;
class WriteBatch;
}  // namespace rocksdb

namespace lockstep::kv {

class Batch {
 public:
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  // Preconditions: the key has 1 to kMaxKeyBytes, the value at most kMaxValueBytes.
  void Put(Space space, std::string_view key, std::string_view value);
  void Delete(Space space, std::string_view key);
  // Deletes every key in [begin, end).
  void DeleteRange(Space space, std::string_view begin, std::string_view end);
  void Clear();

  bool empty() const;
  // Size in memory and in the log. The writer keeps it at kMaxBatchBytes or less.
  size_t byte_count() const;

 private:
  friend class Store;
  friend class Database;
  using Handles = std::array<rocksdb::ColumnFamilyHandle*, kSpaceCount>;
  explicit Batch(std::shared_ptr<const Handles> handles);
  rocksdb::ColumnFamilyHandle* HandleOf(Space space) const;

  std::shared_ptr<const Handles> handles_;
  std::unique_ptr<rocksdb::WriteBatch> changes_;
};

}  // namespace lockstep::kv
