#include "storage/kv/cursor.h"

#include <utility>

#include "base/check.h"
#include "rocksdb/iterator.h"
#include "storage/kv/database.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {

Cursor::Cursor(std::unique_ptr<Bounds> bounds, std::unique_ptr<rocksdb::Iterator> rows)
    : bounds_(std::move(bounds)), rows_(std::move(rows)) {
  rows_->Seek(bounds_->range.begin);
}
Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;

bool Cursor::Valid() const { return rows_->Valid(); }
void Cursor::Next() { rows_->Next(); }

std::string_view Cursor::key() const { return {rows_->key().data(), rows_->key().size()}; }
std::string_view Cursor::value() const { return {rows_->value().data(), rows_->value().size()}; }

void Cursor::Seek(std::string_view key) {
  const std::string_view begin = bounds_->range.begin;
  const std::string_view from = key < begin ? begin : key;
  rows_->Seek(rocksdb::Slice(from.data(), from.size()));
}

void Cursor::Seek(KeyRange range) {
  LOCKSTEP_CHECK(!bounds_->range.end.empty() && !range.end.empty());
  bounds_->range = std::move(range);
  // `rows_` looks at the bound only after a seek.
  bounds_->upper = bounds_->range.end;
  rows_->Seek(bounds_->range.begin);
}

absl::Status Cursor::status() const { return FromRocks(rows_->status()); }

}  // namespace lockstep::kv
