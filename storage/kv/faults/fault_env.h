// FaultEnv: files that fail on request of a test, and lose what was not synced.
//
//   FailFrom(n)      the n-th change of a file from now on and all later ones fail, until
//                    Heal(): "make the n-th write fail, for every n"
//   SetFull(true)    changes that need room fail as on a full disk; reads and deletes work
//   CutPower()       every change fails from now on; once the store is destroyed, RestorePower()
//                    removes all bytes that were not synced
//
// Changes are: creating, appending to, syncing, truncating and renaming a file, and syncing a
// folder. A sync is only recorded and does not wait for the disk, so tests that use it are fast.
// Safe from any thread. Only for tests.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/kv/files/env.h"

namespace lockstep::kv {

// What remains of the bytes that were appended after the last sync before the power cut.
enum class UnsyncedTail {
  kLost,    // none: the file ends where it was synced
  kTorn,    // the first half
  kZeroed,  // as many zeros: the file had grown, but its data was not written
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
  // The result of FreeBytes() while the disk is not full.
  void SetFreeBytes(uint64_t bytes);
  // The number of attempted changes, including failed ones.
  uint64_t change_count() const;
  // The size of everything appended to files.
  uint64_t appended_bytes() const;

  void CutPower();
  absl::Status RestorePower(UnsyncedTail tail);

 private:
  explicit FaultEnv(std::shared_ptr<FaultFiles> files);

  const std::shared_ptr<FaultFiles> fault_files_;
};

}  // namespace lockstep::kv
