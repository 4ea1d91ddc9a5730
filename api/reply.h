// The envelope of every JSON answer, and how errors become one.
//
//   {"status":"success","data":...,"warnings":[...],"infos":[...]}
//   {"status":"error","errorType":"...","error":"..."}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/http.h"
#include "api/json_writer.h"
#include "base/query_budget.h"
#include "base/status.h"
#include "query/engine/value.h"

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
// What went wrong while a query ran, or the store was read or administered, by the codes of
// query/engine/engine.h and storage/storage_admin.h. Precondition: `status` is not OK.
Response FailureReply(const absl::Status& status);

// The same as one line of text, for the endpoints that answer no JSON.
Response PlainFailureReply(const absl::Status& status);

// `write_data` writes exactly one JSON value.
Response SuccessReply(absl::FunctionRef<void(JsonWriter&)> write_data,
                      const engine::Annotations& annotations = {});
// What is a list or an object of `count` elements, each written by write(json, i). Their text is
// taken from `budget` as it grows; what does not fit becomes the answer that FailureReply() gives.
enum class Brackets { kArray, kObject };
Response ListReply(Brackets brackets, size_t count,
                   absl::FunctionRef<void(JsonWriter&, size_t)> write, QueryBudget& budget,
                   const engine::Annotations& annotations = {});
// 204, without a body.
Response NoContentReply();

// One line of text, newline added.
Response TextReply(int status, std::string_view text);

}  // namespace lockstep::api
