// Limits on the parameters of one request. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/http/form.h"
#include "api/http/http.h"
#include "base/status.h"

namespace lockstep::api {

// Limits on a form body, and on the number of fields in it and the URL.
inline constexpr size_t kMaxFormBytes = 1 << 20;
inline constexpr size_t kMaxFormFields = 1024;

// kOutOfRange if the request has a larger form. Call this before reading the form.
absl::Status CheckForm(const Request& request);

// The maximum memory used for the form of `request`. Precondition: CheckForm() is OK.
uint64_t FormBytes(const Request& request);

// kResourceExhausted if `query` and all `match[]` together are longer than `max_bytes`.
absl::Status CheckQueryTexts(const Form& form, uint64_t max_bytes);

// 413, or 503 with Retry-After if memory is only temporarily short. Precondition: `status` is not
// OK.
Response FormRefusal(const absl::Status& status);

}  // namespace lockstep::api
