// Import and export of samples in VictoriaMetrics' formats.
//
//   POST      /api/v1/import?extra_label=              JSON lines (ingest/json/json_lines.h)
//   POST      /api/v1/import/prometheus?timestamp=&extra_label=   text, or OpenMetrics by its type
//   GET, POST /api/v1/export?match[]=&start=&end=&max_rows_per_line=   JSON lines
//
// Imports get 204, or 400 with text if some lines were rejected and the others stored; other
// failures are as for remote write (api/ingest/write_handler.h).
#pragma once

#include <cstdint>

#include "api/http/call.h"
#include "api/http/http.h"
#include "ingest/ingester.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

// Safe from any thread. Respond from a thread of the store, or before they return.
void HandleJsonLineImport(const Request& request, Ingester& ingester, Respond respond);
void HandleTextImport(const Request& request, Ingester& ingester, int64_t now_ms, Respond respond);

// Native histograms have no representation in this format and are omitted. The lines are generated
// while they are sent.
Response HandleJsonLineExport(const Call& call, const Storage& storage, const Permit& permit);

}  // namespace lockstep::api
