// PowerEnv: files of a machine that loses power. Only for tests.
//
// Besides the state that the operating system shows, it keeps what is certainly on disk:
//
//   the bytes of a file     as of its last sync. Of the bytes appended since, any prefix may be on
//                           disk; of the bytes overwritten since, any sectors of 512 bytes
//   the names in a folder   as of its last sync. Of the names created, renamed and deleted since,
//                           the first few changes may be on disk, in their order, which every
//                           file system with a journal keeps
//
// A name and its bytes are separate: a file that was synced is lost if its folder was not, and a
// file created over an existing name is the same file without content. The early write-back that
// RocksDB asks for guarantees nothing. A sync does not wait for the disk.
//
// The power fails after a number of changes: the last change is torn, and every later one fails.
// Then, once the users of the files are destroyed, RestorePower() writes to disk one of the
// possible states. Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/kv/files/env.h"

namespace lockstep::kv {

class PowerFiles;

class PowerEnv : public Env {
 public:
  // For `root`, which is an empty folder, and everything below it.
  static std::shared_ptr<PowerEnv> Make(const std::string& root, uint64_t seed);
  ~PowerEnv() override;

  // At the n-th change from now on; 0: never.
  void CutPowerAfter(uint64_t n);
  bool is_off() const;
  absl::Status RestorePower();

 private:
  explicit PowerEnv(std::shared_ptr<PowerFiles> files);

  const std::shared_ptr<PowerFiles> power_files_;
};

}  // namespace lockstep::kv
