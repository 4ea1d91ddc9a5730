// SampleSender: sends one source's write requests to a server by remote write, or drops them on a
// dry run. Not thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/delivery/import_session.h"
#include "ingest/side_data/metadata_store.h"
#include "storage/write.h"

namespace lockstep::importer {

// The maximum per request.
inline constexpr size_t kMaxRequestSamples = 10'000;

class SampleSender {
 public:
  // Both must outlive this object; the report is kept up to date.
  SampleSender(const ImportSession& session, ImportReport& report)
      : session_(session), report_(report) {}

  // `place` names the part of the source in complaints: "lines 4 to 5". Fails if the server accepts
  // no more.
  absl::Status Send(const WriteRequest& request, const std::vector<MetadataEntry>& metadata,
                    std::string_view place);

 private:
  absl::Status Deliver(std::string_view message, std::string_view place);

  const ImportSession& session_;
  ImportReport& report_;
};

}  // namespace lockstep::importer
