#include "storage/kv/batch.h"

#include <utility>

#include "base/check.h"
#include "rocksdb/write_batch.h"

namespace lockstep::kv {
namespace {

// Writing to the batch cannot fail on valid handles.
void MustBeOk(const rocksdb::Status& status) { LOCKSTEP_CHECK(status.ok()); }

}  // namespace

Batch::Batch(std::shared_ptr<const Handles> handles)
    : handles_(std::move(handles)), changes_(std::make_unique<rocksdb::WriteBatch>()) {}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

rocksdb::ColumnFamilyHandle* Batch::HandleOf(Space space) const {
  return (*handles_)[static_cast<size_t>(space)];
}

void Batch::Put(Space space, std::string_view key, std::string_view value) {
  LOCKSTEP_CHECK(!key.empty() && key.size() <= kMaxKeyBytes && value.size() <= kMaxValueBytes);
  MustBeOk(changes_->Put(HandleOf(space), key, value));
}

void Batch::Delete(Space space, std::string_view key) {
  MustBeOk(changes_->Delete(HandleOf(space), key));
}

void Batch::DeleteRange(Space space, std::string_view begin, std::string_view end) {
  MustBeOk(changes_->DeleteRange(HandleOf(space), begin, end));
}

void Batch::Clear() { changes_->Clear(); }
bool Batch::empty() const { return changes_->Count() == 0; }
size_t Batch::byte_count() const { return changes_->GetDataSize(); }

}  // namespace lockstep::kv
