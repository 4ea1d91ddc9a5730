// BatchWriter: makes a long sequence of changes to one store in synced batches of bounded size, in
// order: at any moment, and after any crash, the store has all changes up to some point and none
// after it. Not thread-safe; must not outlive its store.
#pragma once

#include <functional>
#include <string_view>

#include "base/status.h"
#include "storage/kv/store.h"

namespace lockstep {

class BatchWriter {
 public:
  // Put() and Delete() call `stop` before every batch that they write; once it returns true they
  // fail with kCancelled.
  BatchWriter(kv::Store& kv, std::function<bool()> stop);

  absl::Status Put(kv::Space space, std::string_view key, std::string_view value);
  absl::Status Delete(kv::Space space, std::string_view key);
  // Writes the remaining changes as one batch.
  absl::Status Commit();

 private:
  absl::Status CommitIfLarge();

  kv::Store& kv_;
  const std::function<bool()> stop_;
  kv::Batch batch_;
};

}  // namespace lockstep
