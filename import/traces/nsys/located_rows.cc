#include "import/traces/nsys/located_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

std::string KeyOf(const LocatedSeries& series) {
  std::string key(series.prefix);
  for (const TraceLabel& label : series.labels) {
    key += '\n';
    key += label.name;
    key += '\n';
    key += label.value;
  }
  return key;
}

int64_t MillisecondOf(double seconds) { return std::llround(std::floor(seconds * 1000)); }

// Creates the records of one series, row by row.
class RecordsOfSeries {
 public:
  RecordsOfSeries(const LocatedSeries& series, std::vector<TraceRecord>& records)
      : series_(series), records_(records) {}

  uint64_t merged_instances() const { return merged_instances_; }

  void Add(const LocatedRow& row) {
    const int64_t since_ms = MillisecondOf(row.start_seconds);
    const int64_t instance = instance_++;
    if (last_ms_ == since_ms) return AddToLast(row);
    last_ms_ = since_ms;
    last_record_ = records_.size();
    if (series_.is_paced) {
      Put(since_ms, "_instance", "1", static_cast<double>(instance));
      Put(since_ms, "_start_seconds", "s", row.start_seconds);
    }
    Put(since_ms, "_seconds", "s", row.seconds);
    if (!row.more.quantity.empty()) Put(since_ms, row.more.quantity, row.more.unit, row.more.value);
  }

 private:
  // For numbered instances, the number of the next one reveals that one was merged.
  void AddToLast(const LocatedRow& row) {
    if (series_.is_paced) {
      ++merged_instances_;
      return;
    }
    records_[last_record_].value += row.seconds;
    if (row.more.unit == "bytes") records_[last_record_ + 1].value += row.more.value;
  }

  void Put(int64_t since_ms, std::string_view quantity, std::string_view unit, double value) {
    TraceRecord record;
    record.metric = series_.prefix;
    record.metric += quantity;
    record.unit = unit;
    record.value = value;
    record.since_begin_ms = since_ms;
    record.labels = series_.labels;
    records_.push_back(std::move(record));
  }

  const LocatedSeries& series_;
  std::vector<TraceRecord>& records_;
  int64_t instance_ = 0;
  uint64_t merged_instances_ = 0;
  size_t last_record_ = 0;                                 // the last row's first record
  int64_t last_ms_ = std::numeric_limits<int64_t>::min();  // of the last row; initially none
};

}  // namespace

bool LocatedRows::Add(const LocatedSeries& series, const LocatedRow& row, uint64_t offset) {
  const auto refuse = [&](std::string_view reason) {
    problems_.Count(reason, offset);
    return false;
  };
  const bool is_within = row.start_seconds >= 0 && row.start_seconds <= kMaxRecordingSeconds &&
                         row.seconds >= 0 && row.seconds <= kMaxRecordingSeconds;
  if (!is_within) return refuse("time outside the recording");
  if (rows_.size() >= kMaxLocatedRows) return refuse("too many rows with a start");
  std::string key = KeyOf(series);
  auto found = series_index_.find(key);
  if (found == series_index_.end()) {
    if (series_.size() >= kMaxLocatedSeries) {
      return refuse("too many names with a start");
    }
    found = series_index_.emplace(std::move(key), static_cast<uint32_t>(series_.size())).first;
    series_.push_back(series);
  }
  rows_.push_back({found->second, row});
  return true;
}

void LocatedRows::AppendRecords(std::vector<TraceRecord>& records) {
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return std::pair(a.series, a.row.start_seconds) < std::pair(b.series, b.row.start_seconds);
  });
  for (auto at = rows_.begin(); at != rows_.end();) {
    const auto end =
        std::find_if(at, rows_.end(), [&](const Row& row) { return row.series != at->series; });
    RecordsOfSeries out(series_[at->series], records);
    for (const Row& row : std::span(at, end)) out.Add(row.row);
    merged_instances_ += out.merged_instances();
    at = end;
  }
  rows_.clear();
  series_.clear();
  series_index_.clear();
}

}  // namespace lockstep::traces
