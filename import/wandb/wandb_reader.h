// WandbReader: reads a run's transaction log (run-ID.wandb), which W&B writes to disk both offline
// and online.
//
// The file of a crashed or running run may end with an incomplete record; the complete ones are
// read. Not thread-safe.
//
// Source: wandb/wandb, wandb/proto/wandb_internal.proto.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "import/wandb/wandb_history.h"
#include "import/wandb/wandb_log.h"
#include "import/wandb/wandb_run.h"

namespace lockstep::wandb {

class WandbReader {
 public:
  // Called for each row with a value, in file order; run() returns what was known about the run by
  // then.
  using TakeRow = std::function<void(const WandbRow&)>;

  explicit WandbReader(TakeRow take_row) : take_row_(std::move(take_row)) {}

  // Adds the next bytes of the file.
  void Feed(std::string_view bytes);
  // Call it after the last bytes.
  void Finish();

  const WandbRun& run() const { return run_; }
  const WandbLogReader& log() const { return log_; }
  const WandbItemCounts& item_counts() const { return items_.counts(); }
  uint64_t malformed_records() const { return malformed_records_; }
  // Whether the run recorded its end.
  bool has_ended() const { return has_ended_; }

 private:
  void TakeRecord(std::string_view record);
  void ReadRun(std::string_view message);
  void ReadConfig(std::string_view message);
  void ReadHistory(std::string_view message);
  void ReadStats(std::string_view message);
  void Emit();

  const TakeRow take_row_;
  WandbLogReader log_;
  WandbItemReader items_;
  WandbRun run_;
  WandbRow row_;                         // reused
  std::vector<WandbItem> record_items_;  // reused
  uint64_t malformed_records_ = 0;
  bool has_ended_ = false;
};

}  // namespace lockstep::wandb
