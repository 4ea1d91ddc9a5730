// The envelope of all JSON responses, and the conversion of errors to responses.
//
//   {"status":"success","data":...,"warnings":[...],"infos":[...]}
//   {"status":"error","errorType":"...","error":"..."}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/http/http.h"
#include "api/http/json_writer.h"
#include "base/budget/query_budget.h"
#include "base/status.h"
#include "query/engine/values/value.h"

namespace lockstep::api {

enum class ErrorType {
  kBadData,
  kExecution,
  kForbidden,
  kCanceled,
  kTimeout,
  kInternal,
  kUnavailable,
  kNotFound
};

Response ErrorReply(ErrorType type, std::string_view text);
// 400 bad_data: `invalid parameter "NAME": TEXT`.
Response InvalidParameter(std::string_view name, std::string_view text);
// The response to an error while running a query, or reading or administering the store, with the
// codes of query/engine/engine.h and storage/storage_admin.h. Precondition: `status` is not OK.
Response FailureReply(const absl::Status& status);

// The same as one line of text, for endpoints that do not return JSON.
Response PlainFailureReply(const absl::Status& status);

// `write_data` writes exactly one JSON value.
Response SuccessReply(absl::FunctionRef<void(JsonWriter&)> write_data,
                      const engine::Annotations& annotations = {});
// Writes a list or an object of `count` elements, each with write(json, i). Charges the text to
// `budget` as it grows; if it does not fit, returns the response of FailureReply().
enum class Brackets { kArray, kObject };
Response ListReply(Brackets brackets, size_t count,
                   absl::FunctionRef<void(JsonWriter&, size_t)> write, QueryBudget& budget,
                   const engine::Annotations& annotations = {});
// 204, without a body.
Response NoContentReply();

// One line of text, newline added.
Response TextReply(int status, std::string_view text);
// 503 in plain text, to be retried soon.
Response NotReadyReply(std::string_view why);

}  // namespace lockstep::api
