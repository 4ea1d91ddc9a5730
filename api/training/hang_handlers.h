// Why a job hangs: takes ranks' dumps and stacks, and says what they show together.
//
//   POST /api/v1/push/dump?job=&rank=&path=&host=&time=   a rank's dump or stack; may be compressed
//   GET  /api/v1/training/hang?job=&format=text           the answer
//
// Functions of their arguments; safe from any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/http/call.h"
#include "api/http/http.h"
#include "api/training/training_handlers.h"
#include "hang/kept/kept_dumps.h"
#include "ingest/write/limits.h"

namespace lockstep::api {

struct DumpContext {
  hang::KeptDumps& dumps;
  const IngestLimits& limits;
  int64_t now_ms = 0;
};

Response HandleDumpPush(const Request& request, const DumpContext& context);

// What the ranks of the job sent, by rank; none of a job that the reader may not see. Charged to
// `memory`.
absl::StatusOr<std::vector<hang::RankRecord>> RecordsOfJob(const Call& call, std::string_view job,
                                                           int64_t now_ms, MemoryCharge& memory);

// Blocking: run it on the query pool.
Response HandleHang(const Call& call, const TrainingContext& context);

}  // namespace lockstep::api
