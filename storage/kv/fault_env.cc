#include "storage/kv/fault_env.h"

#include <algorithm>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/system_clock.h"
#include "storage/kv/fault_files.h"
#include "storage/kv/rocks_status.h"

namespace lockstep::kv {
namespace {

// After an I/O error in the background RocksDB sleeps for a second, and tests make thousands of those.
constexpr int kLongestSleepMicros = 1000;

class ShortSleeps : public rocksdb::SystemClockWrapper {
 public:
  ShortSleeps() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  const char* Name() const override { return "ShortSleeps"; }
  void SleepForMicroseconds(int micros) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(micros, kLongestSleepMicros));
  }
};

class ImpatientEnv : public rocksdb::EnvWrapper {
 public:
  explicit ImpatientEnv(std::shared_ptr<rocksdb::FileSystem> files)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)) {
    file_system_ = std::move(files);
    system_clock_ = std::make_shared<ShortSleeps>();
  }
  const char* Name() const override { return "ImpatientEnv"; }
};

}  // namespace

std::shared_ptr<FaultEnv> FaultEnv::Make() {
  return std::shared_ptr<FaultEnv>(
      new FaultEnv(std::make_shared<FaultFiles>(rocksdb::FileSystem::Default())));
}

FaultEnv::FaultEnv(std::shared_ptr<FaultFiles> files)
    : Env(files, std::make_unique<ImpatientEnv>(files)), fault_files_(files) {}
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
