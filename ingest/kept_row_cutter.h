// KeptRowCutter: entries, one after another, to rows of a bounded size that begin with a version. For one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

class KeptRowCutter {
 public:
  KeptRowCutter(char version, size_t max_row_bytes)
      : version_(version), max_row_bytes_(max_row_bytes) {}

  // Whether an entry of `size` bytes has no room in the last row.
  bool WouldBegin(size_t size) const {
    return rows_.empty() || rows_.back().size() + size > max_row_bytes_;
  }
  void Begin() { rows_.emplace_back(1, version_); }
  // An entry that fits into no row is left out.
  void Add(std::string_view entry) {
    if (1 + entry.size() > max_row_bytes_) return;
    if (WouldBegin(entry.size())) Begin();
    rows_.back().append(entry);
  }
  std::vector<std::string> Take() { return std::move(rows_); }

 private:
  const char version_;
  const size_t max_row_bytes_;
  std::vector<std::string> rows_;
};

}  // namespace lockstep
