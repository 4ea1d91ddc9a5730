// Checks a whole store: every file, every row, and whether they agree.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "storage/db/check/check_report.h"
#include "storage/kv/files/env.h"

namespace lockstep {

// Verifies every checksum of the store in `data_dir`, decodes every row, and checks references
// between rows. Continues after damage. Changes nothing; blocking.
//
// Fails only if the check is impossible: kNotFound if there is no store, kFailedPrecondition if a
// server has it open or this program does not read its format.
absl::StatusOr<CheckReport> CheckStore(const std::string& data_dir, std::shared_ptr<kv::Env> env,
                                       const CheckListener& listener);

}  // namespace lockstep
