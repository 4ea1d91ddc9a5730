#include "storage/db/rows/batch_writer.h"

#include <utility>

namespace lockstep {
namespace {

// With one more value it is still below kv::kMaxBatchBytes.
constexpr size_t kBatchBytes = size_t{2} << 20;

}  // namespace

BatchWriter::BatchWriter(kv::Store& kv, std::function<bool()> stop)
    : kv_(kv), stop_(std::move(stop)), batch_(kv.NewBatch()) {}

absl::Status BatchWriter::Put(kv::Space space, std::string_view key, std::string_view value) {
  LOCKSTEP_RETURN_IF_ERROR(CommitIfLarge());
  batch_.Put(space, key, value);
  return absl::OkStatus();
}

absl::Status BatchWriter::Delete(kv::Space space, std::string_view key) {
  LOCKSTEP_RETURN_IF_ERROR(CommitIfLarge());
  batch_.Delete(space, key);
  return absl::OkStatus();
}

absl::Status BatchWriter::CommitIfLarge() {
  if (batch_.byte_count() < kBatchBytes) return absl::OkStatus();
  if (stop_()) return absl::CancelledError("the store is closing");
  return Commit();
}

absl::Status BatchWriter::Commit() {
  if (batch_.empty()) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(kv_.Commit(batch_, kv::Durability::kSynced));
  batch_.Clear();
  return absl::OkStatus();
}

}  // namespace lockstep
