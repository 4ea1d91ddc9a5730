// Helpers for absl::Status. Errors that input, disk, network or load can cause are returned as
// Status; nothing here throws.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// The message of `status` as a std::string_view: Abseil's own view type differs from std's on some
// distributions. The view lives as long as `status`.
inline std::string_view Message(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

// `status` with `context` and ": " before its message; an OK status stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view context);

}  // namespace lockstep

// Returns from the enclosing function if `expr` is not OK.
#define LOCKSTEP_RETURN_IF_ERROR(expr)                                                           \
  do {                                                                                           \
    if (absl::Status lockstep_status_ = (expr); !lockstep_status_.ok()) return lockstep_status_; \
  } while (false)

#define LOCKSTEP_CONCAT_INNER_(a, b) a##b
#define LOCKSTEP_CONCAT_(a, b) LOCKSTEP_CONCAT_INNER_(a, b)

// Evaluates `expr`, a StatusOr; returns its error, or moves its value into `lhs` (which may be a
// declaration).
#define LOCKSTEP_ASSIGN_OR_RETURN(lhs, expr) \
  LOCKSTEP_ASSIGN_OR_RETURN_IMPL_(LOCKSTEP_CONCAT_(lockstep_statusor_, __LINE__), lhs, expr)
#define LOCKSTEP_ASSIGN_OR_RETURN_IMPL_(statusor, lhs, expr) \
  auto statusor = (expr);                                    \
  if (!statusor.ok()) return std::move(statusor).status();   \
  lhs = *std::move(statusor)
