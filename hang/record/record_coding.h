// The bytes of a RankRecord, as docs/formats/kept.md describes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hang/record/rank_record.h"

namespace lockstep::hang {

inline constexpr size_t kMaxRecordBytes = 64 << 10;

struct NamedRecord {
  std::string job;
  RankRecord record;
};

// Drops the oldest operations, and then the groups' ranks, while the row has more than
// kMaxRecordBytes. Only hundreds of groups with long names make a longer one, of less than 1 MiB.
std::string EncodeRecord(std::string_view job, RankRecord record);

// False if the bytes are not such a row.
[[nodiscard]] bool DecodeRecord(std::string_view bytes, NamedRecord& named);

// What is needed to find a row again, without decoding all of it.
struct RecordHead {
  std::string job;
  int32_t rank = 0;
  int64_t kept_ms = 0;
};
[[nodiscard]] bool DecodeRecordHead(std::string_view bytes, RecordHead& head);

}  // namespace lockstep::hang
