#include "import/traces/nsys/csv_rows.h"

#include <utility>

#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {

void CsvRows::Append(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += bytes;
}

std::optional<CsvRow> CsvRows::Next() {
  while (at_ < buffer_.size()) {
    const bool is_row_end = Take(buffer_[at_++]);
    ++offset_;
    if (!is_row_end) continue;
    if (auto row = TakeRow()) return row;
  }
  return std::nullopt;
}

std::optional<CsvRow> CsvRows::Finish() {
  if (row_bytes_ == 0) return std::nullopt;
  if (state_ == State::kQuoted) {
    problems_.Count("row that ends within quotes", row_.offset);
    is_row_bad_ = true;
  }
  return TakeRow();
}

std::optional<CsvRow> CsvRows::TakeRow() {
  if (!cell_.empty() && cell_.back() == '\r' && state_ == State::kPlain) cell_.pop_back();
  row_.cells.push_back(std::exchange(cell_, {}));
  CsvRow row = std::exchange(row_, {});
  row_.offset = offset_;
  row_bytes_ = 0;
  state_ = State::kCellBegin;
  if (std::exchange(is_row_bad_, false)) return std::nullopt;
  return row;
}

void CsvRows::Put(char c) {
  if (!is_row_bad_) cell_ += c;
}

bool CsvRows::Take(char c) {
  if (++row_bytes_ > kMaxTableRowBytes && !is_row_bad_) {
    problems_.Count("row too long", row_.offset);
    is_row_bad_ = true;
    // An unclosed quote would swallow the rest of the file.
    if (state_ == State::kQuoted) state_ = State::kPlain;
  }
  if (state_ == State::kQuoted) {
    if (c == '"') {
      state_ = State::kQuoteInQuoted;
    } else {
      Put(c);
    }
    return false;
  }
  if (c == '\n') return true;
  if (c == ',') {
    if (row_.cells.size() < kMaxTableColumns) row_.cells.push_back(std::exchange(cell_, {}));
    cell_.clear();
    state_ = State::kCellBegin;
  } else if (c == '"' && state_ == State::kCellBegin) {
    state_ = State::kQuoted;
  } else if (c == '"' && state_ == State::kQuoteInQuoted) {
    Put(c);
    state_ = State::kQuoted;
  } else {
    Put(c);
    state_ = State::kPlain;
  }
  return false;
}

}  // namespace lockstep::traces
