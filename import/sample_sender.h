// SampleSender: write requests of one source to a server by remote write, or nowhere. Not
// thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/import_session.h"
#include "ingest/metadata_store.h"
#include "storage/storage.h"

namespace lockstep::importer {

// Of one request.
inline constexpr size_t kMaxRequestSamples = 10'000;

class SampleSender {
 public:
  // Both outlive it; the report is kept up to date.
  SampleSender(const ImportSession& session, ImportReport& report)
      : session_(session), report_(report) {}

  // `place` says which part of the source it is, for complaints: "lines 4 to 5". Fails when the
  // server takes nothing more.
  absl::Status Send(const WriteRequest& request, const std::vector<MetadataEntry>& metadata,
                    std::string_view place);

 private:
  absl::Status Deliver(std::string_view message, std::string_view place);

  const ImportSession& session_;
  ImportReport& report_;
};

}  // namespace lockstep::importer
