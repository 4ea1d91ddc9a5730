// Samples as VictoriaMetrics takes and gives them.
//
//   POST      /api/v1/import?extra_label=              JSON lines (ingest/json/json_lines.h)
//   POST      /api/v1/import/prometheus?timestamp=&extra_label=   text, or OpenMetrics by its type
//   GET, POST /api/v1/export?match[]=&start=&end=&max_rows_per_line=   JSON lines
//
// Imports are answered 204; 400 with text when some lines were not taken and the others are stored;
// other failures as those of remote write (api/write_handler.h).
#pragma once

#include <cstdint>
#include <memory>

#include "api/call.h"
#include "api/http.h"
#include "base/query_budget.h"
#include "ingest/ingester.h"
#include "query/engine/engine.h"
#include "storage/storage.h"

namespace lockstep::api {

// Safe from any thread. Answer from a thread of the store, or before they return.
void HandleJsonLineImport(const Request& request, Ingester& ingester, Respond respond);
void HandleTextImport(const Request& request, Ingester& ingester, int64_t now_ms, Respond respond);

struct ExportTurn {
  engine::QueryProgress& progress;
  QueryBudget& budget;
  std::shared_ptr<const void> place;  // keeps the budget
};

// Native histograms have no form in these lines, and are left out. The lines are made while they
// are sent.
Response HandleJsonLineExport(const Call& call, const Storage& storage, const ExportTurn& turn);

}  // namespace lockstep::api
