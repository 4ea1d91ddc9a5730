// How much memory this process can have.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// The memory of the machine, or the limit of the process's control group if that is lower: version
// 2 (memory.max, including parent groups) or version 1 (memory.limit_in_bytes). 0 if unknown.
// `root` is the folder that contains /proc and /sys: "" except in tests.
uint64_t AvailableMemoryBytes(const std::string& root = "");

// The default for what clients together may make the process hold: 60 % of the available memory.
// MemoryBudget::kNoLimit if that is unknown.
uint64_t DefaultMemoryLimitBytes(const std::string& root = "");

}  // namespace lockstep
