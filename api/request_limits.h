// RequestLimits: what the parameters of one request may be. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/form.h"
#include "api/http.h"
#include "base/status.h"

namespace lockstep::api {

// A form body, and the fields of it and of the URL.
inline constexpr size_t kMaxFormBytes = 1 << 20;
inline constexpr size_t kMaxFormFields = 1024;

// kOutOfRange if the request has a form that is larger. To be asked before the form is read.
absl::Status CheckForm(const Request& request);

// Of memory that the form of `request` takes at most. Precondition: CheckForm() is OK.
uint64_t FormBytes(const Request& request);

// kResourceExhausted if `query` and all of `match[]` together are longer than `max_bytes`.
absl::Status CheckQueryTexts(const Form& form, uint64_t max_bytes);

// 413, or 503 with Retry-After if it is only that there is no memory now. Precondition: not OK.
Response FormRefusal(const absl::Status& status);

}  // namespace lockstep::api
