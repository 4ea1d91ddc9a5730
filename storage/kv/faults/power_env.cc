#include "storage/kv/faults/power_env.h"

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "storage/kv/faults/impatient_env.h"
#include "storage/kv/faults/power_files.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {

std::shared_ptr<PowerEnv> PowerEnv::Make(const std::string& root, uint64_t seed) {
  return std::shared_ptr<PowerEnv>(
      new PowerEnv(std::make_shared<PowerFiles>(rocksdb::FileSystem::Default(), root, seed)));
}

PowerEnv::PowerEnv(std::shared_ptr<PowerFiles> files)
    : Env(files, MakeImpatientEnv(files)), power_files_(files) {}
PowerEnv::~PowerEnv() = default;

void PowerEnv::CutPowerAfter(uint64_t n) { power_files_->CutPowerAfter(n); }
bool PowerEnv::is_off() const { return power_files_->is_off(); }
absl::Status PowerEnv::RestorePower() { return FromRocks(power_files_->RestorePower()); }

}  // namespace lockstep::kv
