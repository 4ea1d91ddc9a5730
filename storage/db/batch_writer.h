// BatchWriter: a long row of changes to one store, made in synced batches of bounded size and in
// order: at any moment, and after any crash, the store has those up to some point and none behind it.
// Not thread-safe; must not outlive its store.
#pragma once

#include <functional>
#include <string_view>

#include "base/status.h"
#include "storage/kv/store.h"

namespace lockstep {

class BatchWriter {
 public:
  // `stop` is asked before every batch that Put() and Delete() write; once it says true they fail with
  // kCancelled.
  BatchWriter(kv::Store& kv, std::function<bool()> stop);

  absl::Status Put(kv::Space space, std::string_view key, std::string_view value);
  absl::Status Delete(kv::Space space, std::string_view key);
  // Writes what is left, as one batch.
  absl::Status Commit();

 private:
  absl::Status CommitIfLarge();

  kv::Store& kv_;
  const std::function<bool()> stop_;
  kv::Batch batch_;
};

}  // namespace lockstep
