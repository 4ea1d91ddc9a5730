#include "storage/db/readable_rows.h"

#include <optional>
#include <string>
#include <utility>

namespace lockstep {
namespace {

// The first key behind the damaged table that holds `key`, or that comes next. Of several the one that
// ends first: behind it the others may stop the reader again.
std::optional<std::string> BehindDamage(std::span<const kv::TableFile> damaged, kv::Space space,
                                        const std::string& key) {
  std::optional<std::string> behind;
  for (const kv::TableFile& table : damaged) {
    if (table.space != space || table.last_key < key) continue;
    std::string next = table.last_key + '\0';
    if (!behind.has_value() || next < *behind) behind = std::move(next);
  }
  return behind;
}

}  // namespace

void ForEachReadableRow(const kv::Store& kv, kv::Space space, kv::KeyRange range,
                        std::span<const kv::TableFile> damaged,
                        absl::FunctionRef<void(std::string_view key, std::string_view value)> row,
                        absl::FunctionRef<void(const absl::Status& status)> failed) {
  while (true) {
    std::string at = range.begin;
    kv::Cursor rows = kv.NewCursor(space, range);
    for (; rows.Valid(); rows.Next()) {
      at = std::string(rows.key()) + '\0';
      row(rows.key(), rows.value());
    }
    if (rows.status().ok()) return;
    failed(rows.status());
    std::optional<std::string> behind = BehindDamage(damaged, space, at);
    if (!behind.has_value()) return;
    range.begin = *std::move(behind);
  }
}

}  // namespace lockstep
