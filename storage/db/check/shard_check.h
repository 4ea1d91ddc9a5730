// ShardCheck: checks every file and every row of one shard. Single-threaded; used once.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "storage/db/check/check_report.h"
#include "storage/db/check/day_check.h"
#include "storage/db/check/dictionary_check.h"
#include "storage/kv/store.h"

namespace lockstep {

class ShardCheck {
 public:
  // `name` is for people: "shard-000". Adds to `report`; both must outlive it.
  ShardCheck(std::string folder, std::string name, std::shared_ptr<kv::Env> env,
             CheckReport& report, const CheckListener& listener);

  // Fails if the check is impossible: a server has the shard open, or there is no shard. Damage is
  // not a failure.
  absl::Status Run();

 private:
  absl::Status Open();
  void CheckTableFiles();
  void CheckTables();
  void CheckLogs();
  void CheckMark();
  void CheckDictionary();
  void CheckJournal();
  void CheckJournalBlock(uint64_t sequence, std::string_view block);
  void CheckDays();
  void CheckWindow(int32_t window, DayCheck& day);
  void CheckRollups();
  void EndDay(int32_t number, DayCheck& day);
  std::set<int32_t> AllWindows();
  void ForEachRow(kv::Space space, kv::KeyRange range,
                  absl::FunctionRef<void(std::string_view key, std::string_view value)> row);
  void Damage(const std::string& where, const std::string& what);
  void Progress(const std::string& doing);

  const std::string folder_;
  const std::string name_;
  const std::shared_ptr<kv::Env> env_;
  CheckReport& report_;
  const CheckListener& listener_;

  std::unique_ptr<kv::Store> kv_;
  std::vector<kv::TableFile> damaged_;
  uint64_t mark_ = 0;
  uint64_t chunk_row_count_ = 0;
  DictionaryCheck dictionary_;
};

}  // namespace lockstep
