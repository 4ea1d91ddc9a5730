// Kept rows in memory, for tests.
#pragma once

#include <map>
#include <utility>

#include "storage/kept_rows.h"

namespace lockstep {

class RowsInMemory : public KeptRows {
 public:
  absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const override {
    std::vector<KeptRow> rows;
    for (const auto& [key, bytes] : rows_) {
      if (key.first == kind) rows.push_back({key.second, bytes});
    }
    return rows;
  }
  absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                      uint32_t number) const override {
    const auto found = rows_.find({kind, number});
    if (found == rows_.end()) return std::nullopt;
    return found->second;
  }
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override {
    if (refuses) return absl::UnavailableError("the disk is full");
    for (const KeptRow& row : rows) rows_[{kind, row.number}] = row.bytes;
    return absl::OkStatus();
  }

  bool refuses = false;

 private:
  std::map<std::pair<KeptKind, uint32_t>, std::string> rows_;
};

}  // namespace lockstep
