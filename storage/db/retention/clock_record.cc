#include "storage/db/retention/clock_record.h"

#include "base/coding.h"
#include "base/log.h"
#include "storage/db/rows/window.h"
#include "storage/kept_rows.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

constexpr char kClockRecordVersion = 1;
constexpr char kTrusted = 0;
constexpr char kDoubted = 1;

std::string ClockRecordKey() { return kv::EncodeKeptKey(static_cast<char>(KeptKind::kClock), 0); }

bool GetTime(std::string_view& in, int64_t& time_ms) {
  return GetVarintSigned64(in, time_ms) && time_ms >= kStorableTimes.min_ms &&
         time_ms <= kStorableTimes.max_ms;
}

}  // namespace

std::string EncodeClockRecord(const ClockRecord& record) {
  std::string row(1, kClockRecordVersion);
  PutVarintSigned64(row, record.believed_ms);
  PutVarintSigned64(row, record.latest_ms);
  row.push_back(record.doubt.has_value() ? kDoubted : kTrusted);
  if (record.doubt.has_value()) {
    PutVarintSigned64(row, record.doubt->wall_ms);
    PutVarintSigned64(row, record.doubt->unopposed_ms);
  }
  return row;
}

bool DecodeClockRecord(std::string_view row, ClockRecord& record) {
  if (!row.starts_with(kClockRecordVersion)) return false;
  row.remove_prefix(1);
  record = ClockRecord();
  if (!GetTime(row, record.believed_ms) || !GetTime(row, record.latest_ms)) return false;
  if (row.empty()) return false;
  const char state = row.front();
  row.remove_prefix(1);
  if (state == kTrusted) return row.empty();
  if (state != kDoubted) return false;
  ClockRecord::Doubt& doubt = record.doubt.emplace(ClockRecord::Doubt());
  return GetTime(row, doubt.wall_ms) && GetTime(row, doubt.unopposed_ms) &&
         doubt.unopposed_ms >= 0 && row.empty();
}

absl::StatusOr<std::optional<ClockRecord>> ReadClockRecord(const kv::Store& kv) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                            kv.Get(kv::Space::kMeta, ClockRecordKey()));
  if (!row.has_value()) return std::nullopt;
  ClockRecord record;
  if (DecodeClockRecord(*row, record)) return record;
  Log(LogLevel::kWarn, "ignoring the store's clock record: it is malformed");
  return std::nullopt;
}

absl::Status WriteClockRecord(kv::Store& kv, const ClockRecord& record) {
  kv::Batch batch = kv.NewBatch();
  batch.Put(kv::Space::kMeta, ClockRecordKey(), EncodeClockRecord(record));
  return kv.Commit(batch, kv::Durability::kBuffered);
}

}  // namespace lockstep
