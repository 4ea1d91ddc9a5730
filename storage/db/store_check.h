// Looking at a whole store: every file, every row, and whether they agree.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "storage/db/check_report.h"
#include "storage/kv/env.h"

namespace lockstep {

// Verifies every checksum of the store in `data_dir`, decodes every row, and holds what refers to
// other rows against them. Goes on behind damage. Changes nothing; blocking.
// Fails only if it cannot look: kNotFound if there is no store, kFailedPrecondition if a server has it
// open or if it is of a format that this program does not read.
absl::StatusOr<CheckReport> CheckStore(const std::string& data_dir, std::shared_ptr<kv::Env> env,
                                       const CheckListener& listener);

}  // namespace lockstep
