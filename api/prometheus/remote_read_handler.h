// /api/v1/read: Prometheus remote read, for a Prometheus that reads data it does not have.
// Blocking: run it on the query pool. Safe from any thread.
#pragma once

#include "api/http/call.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

// Takes snappy-compressed protobuf; returns SAMPLES or STREAMED_XOR_CHUNKS, whichever the client
// lists first. Samples are charged to the budget as a whole; chunks are read from the store while
// they are sent. Errors are plain text, as in Prometheus. `storage` must outlive the response.
Response HandleRemoteRead(const Call& call, const Storage& storage, const Permit& permit);

}  // namespace lockstep::api
