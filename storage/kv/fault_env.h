// FaultEnv: files that fail when a test says so, and that forget what was not synced.
//
//   FailFrom(n)      the n-th change of a file from now on fails, and so does every later one, until
//                    Heal(): "make the n-th write fail, for every n"
//   SetFull(true)    what would take more room fails as on a full disk; reads and deletes go on
//   CutPower()       from now on every change fails; then, after the store is gone, RestorePower()
//                    takes back all bytes that were not synced
//
// Changes are: creating, appending to, syncing, truncating and renaming a file, and syncing a folder.
// A sync is kept in its books and does not wait for the disk, so tests over it are fast too. Safe from
// any thread. Only for tests.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/kv/env.h"

namespace lockstep::kv {

// What is left of the bytes that were appended after the last sync when the power went.
enum class UnsyncedTail {
  kLost,    // none: the file ends where it was synced
  kTorn,    // the first half
  kZeroed,  // as many zeros: the file had grown, its data had not been written
};

class FaultFiles;

class FaultEnv : public Env {
 public:
  // Over the operating system's files.
  static std::shared_ptr<FaultEnv> Make();
  ~FaultEnv() override;

  void FailFrom(uint64_t n);
  void Heal();
  void SetFull(bool is_full);
  // What FreeBytes() says while the disk is not full.
  void SetFreeBytes(uint64_t bytes);
  // Changes asked for so far, failed ones included.
  uint64_t change_count() const;

  void CutPower();
  absl::Status RestorePower(UnsyncedTail tail);

 private:
  explicit FaultEnv(std::shared_ptr<FaultFiles> files);

  const std::shared_ptr<FaultFiles> fault_files_;
};

}  // namespace lockstep::kv
