// MemoryLimit: how much memory this process can have.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// The memory of the machine, or the limit of the process' control group if that is less: that of version 2
// (memory.max, also of the groups around it) or of version 1 (memory.limit_in_bytes). 0 if nothing
// says. `root` is the folder under which /proc and /sys are looked for: "" but in tests.
uint64_t AvailableMemoryBytes(const std::string& root = "");

// What clients together may make the process hold unless somebody says otherwise: 60 % of it.
// MemoryBudget::kNoLimit if nothing says how much there is.
uint64_t DefaultMemoryLimitBytes(const std::string& root = "");

}  // namespace lockstep
