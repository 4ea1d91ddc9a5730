#include "storage/kv/fault_env.h"

#include "rocksdb/env.h"
#include "storage/kv/fault_files.h"
#include "storage/kv/impatient_env.h"
#include "storage/kv/rocks_status.h"

namespace lockstep::kv {

std::shared_ptr<FaultEnv> FaultEnv::Make() {
  return std::shared_ptr<FaultEnv>(
      new FaultEnv(std::make_shared<FaultFiles>(rocksdb::FileSystem::Default())));
}

FaultEnv::FaultEnv(std::shared_ptr<FaultFiles> files)
    : Env(files, MakeImpatientEnv(files)), fault_files_(files) {}
FaultEnv::~FaultEnv() = default;

void FaultEnv::FailFrom(uint64_t n) { fault_files_->FailFrom(n); }
void FaultEnv::Heal() { fault_files_->Heal(); }
void FaultEnv::SetFull(bool is_full) { fault_files_->SetFull(is_full); }
void FaultEnv::SetFreeBytes(uint64_t bytes) { fault_files_->SetFreeBytes(bytes); }
uint64_t FaultEnv::change_count() const { return fault_files_->change_count(); }
void FaultEnv::CutPower() { fault_files_->CutPower(); }

absl::Status FaultEnv::RestorePower(UnsyncedTail tail) {
  return FromRocks(fault_files_->RestorePower(tail));
}

}  // namespace lockstep::kv
