// Dropping what rules of retention keep no longer: whole windows of some series, as retention.h drops whole
// windows of all.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "storage/db/retention_rules.h"
#include "storage/db/row_steps.h"
#include "storage/db/shard_state.h"

namespace lockstep {

// Erases what series have in windows that ended before their rule's border, and forgets series that have
// none left. Of one that has not ended readers are not shown what is too old. Not from the writer's
// thread, and one at a time in a shard.
absl::Status DropByRules(ShardState& shard, RowSteps& steps, const RetentionRules& retention,
                         int64_t now_ms);

}  // namespace lockstep
