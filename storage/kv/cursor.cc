#include "storage/kv/cursor.h"

#include "rocksdb/iterator.h"
#include "storage/kv/cursor_bounds.h"
#include "storage/kv/rocks_status.h"

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

absl::Status Cursor::status() const { return FromRocks(rows_->status()); }

}  // namespace lockstep::kv
