// What the ways in have in common that are not remote write: from the body of a request to samples
// in the store, within the limits of the tenant, for the jobs of the credential.
#pragma once

#include "api/http.h"
#include "api/write_failure.h"
#include "base/status.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// As Ingester::Write() with the body in the encoding that the request names, and its errors;
// besides these kUnimplemented: an encoding that we do not read. `decode` is called on the calling
// thread, before the return.
void WriteBody(const Request& request, Ingester& ingester, DecodeMessage decode,
               Ingester::Done done);

// How an error of WriteBody() is answered.
WriteFailure BodyFailureOf(const absl::Status& status);
// `response` with the headers of such a failure.
Response WithRetry(Response response, const WriteFailure& failure);

// What the store did with the samples, for senders that count them.
void AddFates(const WriteSummary& summary, Response& response);

// The parameters in the URL: the body is no form, whatever type the sender gives it.
class Form;
Form UrlParametersOf(const Request& request);

}  // namespace lockstep::api
