// What operators do to stores that no server has open. Blocking; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "storage/kv/env.h"
#include "storage/storage_admin.h"

namespace lockstep {

// As StorageAdmin::Backup(), of the store in `data_dir`. kFailedPrecondition if a server has it open.
absl::StatusOr<BackupSummary> BackUpStoppedStore(const std::string& data_dir,
                                                 const std::string& folder, size_t keep_count,
                                                 int64_t now_ms, std::shared_ptr<kv::Env> env);

}  // namespace lockstep
