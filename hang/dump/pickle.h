// A reader of pickles that executes nothing.
//
// It builds None, booleans, numbers, texts, bytes, lists, tuples (as lists) and dicts, from
// protocols 2 to 5, which is all that a flight recorder writes. A pickle that names a class or
// calls anything is refused.
#pragma once

#include <string_view>

#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "hang/dump/document.h"

namespace lockstep::hang {

// Whether it begins like a pickle of protocol 2 or later.
bool IsPickle(std::string_view bytes);

// The document refers to `bytes`. `memory` (may be null) is charged and must outlive the document.
// Errors:
//   kInvalidArgument  damaged, or with an operation that is not allowed; says at which byte
//   kOutOfRange       too large
//   and those of MemoryCharge::Add()
absl::StatusOr<Document> ReadPickle(std::string_view bytes, MemoryCharge* memory);

}  // namespace lockstep::hang
