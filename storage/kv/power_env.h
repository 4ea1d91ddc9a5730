// PowerEnv: files of a machine whose power goes. Only for tests.
//
// What the disk is sure to have is kept beside what the operating system shows:
//
//   the bytes of a file     as they were at its last sync; of what was written since any part may
//                           be there, to the byte where it was appended, by sectors of 512 bytes
//                           where it was written over
//   the names in a folder   as they were at its last sync; of what was made, renamed and deleted in
//                           it since, the first few changes may be there, in their order, as every
//                           file system with a journal keeps it
//
// A name and the bytes behind it are two things: a file that was synced whose folder was not is
// gone, and a file that is made where one of that name is, is the same file with nothing in it. The
// early write-back that RocksDB asks for promises nothing. A sync does not wait for the disk.
//
// The power goes after a number of changes: the last one is torn, and every later one fails. Then,
// when whatever used the files is gone, RestorePower() puts on the disk what it may have had. Safe
// from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/kv/env.h"

namespace lockstep::kv {

class PowerFiles;

class PowerEnv : public Env {
 public:
  // Of `root`, a folder that is empty, and all below it.
  static std::shared_ptr<PowerEnv> Make(const std::string& root, uint64_t seed);
  ~PowerEnv() override;

  // With the n-th change from now on; 0: not at all.
  void CutPowerAfter(uint64_t n);
  bool is_off() const;
  absl::Status RestorePower();

 private:
  explicit PowerEnv(std::shared_ptr<PowerFiles> files);

  const std::shared_ptr<PowerFiles> power_files_;
};

}  // namespace lockstep::kv
