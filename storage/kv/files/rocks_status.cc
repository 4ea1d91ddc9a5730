#include "storage/kv/files/rocks_status.h"

#include "rocksdb/status.h"

namespace lockstep::kv {

absl::Status FromRocks(const rocksdb::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (status.IsNotFound()) return absl::NotFoundError(status.ToString());
  if (status.IsCorruption()) return absl::DataLossError(status.ToString());
  if (status.IsNoSpace()) return absl::UnavailableError("the disk is full: " + status.ToString());
  if (status.IsIOError() || status.IsBusy() || status.IsTryAgain() || status.IsIncomplete() ||
      status.IsTimedOut() || status.IsAborted() || status.IsShutdownInProgress()) {
    return absl::UnavailableError(status.ToString());
  }
  return absl::InternalError(status.ToString());
}

}  // namespace lockstep::kv
