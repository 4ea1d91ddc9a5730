// Dictionary: the series that a shard knows: labels <-> id, and where each keeps its chunks.
//
// Series of one family (one metric of one job) are numbered in the order of their first samples; 64
// neighbours share a block, whose samples lie together on disk.
//
// Threads: one writer at a time, which may call const methods without a lock; others hold the
// shard's lock shared while the writer holds it exclusively to change it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/string_map.h"
#include "model/labels.h"
#include "storage/index/series_index.h"
#include "storage/kv/batch.h"

namespace lockstep {

inline constexpr uint32_t kSeriesPerBlock = 64;

// Where a series' chunks are.
struct SeriesPlace {
  uint32_t family = 0;
  uint32_t ordinal = 0;  // inside the family

  uint32_t block() const { return ordinal / kSeriesPerBlock; }
  uint32_t index_in_block() const { return ordinal % kSeriesPerBlock; }
  friend bool operator==(const SeriesPlace&, const SeriesPlace&) = default;
};

struct DictionaryRow {  // of the dictionary
  SeriesId id = 0;
  SeriesPlace place;
  LabelSet labels;
};

// The value of the dictionary's row: docs/formats/keys.md.
std::string EncodeDictionaryRow(const DictionaryRow& row);
absl::StatusOr<DictionaryRow> DecodeDictionaryRow(SeriesId id, std::string_view value);

class Dictionary {
 public:
  const SeriesIndex& index() const { return index_; }

  // New series, from their first sample to the commit that makes them durable:
  //   StageNew() ... PutStaged(), then CommitStaged() or RollbackStaged()
  // Staged ids are higher than all that were given out before, and no id or place is given out
  // twice, even if it is rolled back. Nothing of a staged series can be found before its commit.
  // Precondition: `labels` are neither known nor staged.
  SeriesId StageNew(const LabelSet& labels);
  bool IsStaged(SeriesId id) const { return !staged_.empty() && id >= staged_.front().id; }
  // What PutStaged() adds to a batch, roughly.
  size_t staged_byte_count() const { return staged_byte_count_; }
  void PutStaged(kv::Batch& batch) const;
  void CommitStaged();
  void RollbackStaged();

  // What recovery reads. Precondition: neither id nor labels are in it.
  void Add(const DictionaryRow& row);
  void Remove(std::span<const SeriesId> ids);

  // Preconditions of the next three: the id is in it.
  SeriesPlace PlaceOf(SeriesId id) const { return infos_[id].place; }
  // No chunk holds a later sample of the series; kNoTimeMs if none holds any.
  int64_t SealedMaxMs(SeriesId id) const { return infos_[id].sealed_max_ms; }
  void RaiseSealedMax(SeriesId id, int64_t time_ms);

 private:
  struct Info {
    SeriesPlace place;
    int64_t sealed_max_ms = std::numeric_limits<int64_t>::min();
  };
  struct Family {
    uint32_t number = 0;
    uint32_t next_ordinal = 0;
  };
  Family& FamilyOf(const LabelSet& labels);

  SeriesIndex index_;
  std::vector<DictionaryRow> staged_;  // ids ascend
  size_t staged_byte_count_ = 0;
  std::vector<Info> infos_;     // by id
  StringMap<Family> families_;  // by job and metric
  SeriesId next_id_ = 0;
  uint32_t next_family_ = 0;
};

}  // namespace lockstep
