// The code shared by all write endpoints except remote write: from a request body to stored
// samples, within the limits of the tenant and the jobs of the credential.
#pragma once

#include "api/http/http.h"
#include "api/ingest/write_failure.h"
#include "base/status.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// Like Ingester::Write(), for a body in the request's encoding, with the same errors and
// kUnimplemented for an unsupported encoding. Calls `decode` on the calling thread, before it
// returns.
void WriteBody(const Request& request, Ingester& ingester, DecodeMessage decode,
               Ingester::Done done);

// Maps an error of WriteBody() to a response.
WriteFailure BodyFailureOf(const absl::Status& status);
// Adds such a failure's headers to `response`.
Response WithRetry(Response response, const WriteFailure& failure);

// Reports what the store did with the samples, for senders that count them.
void AddFates(const WriteSummary& summary, Response& response);

// The parameters in the URL only: the body is not a form, whatever its Content-Type.
class Form;
Form UrlParametersOf(const Request& request);

}  // namespace lockstep::api
