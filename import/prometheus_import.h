// PrometheusImport: imports from a running Prometheus by remote read, in time slices. Not
// thread-safe.
//
// Requests each slice as streamed chunks; a server without support responds with samples. An
// interrupted slice is requested again: what was delivered of it is stored already.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/delivery/delivery.h"
#include "import/delivery/import_session.h"
#include "import/delivery/sample_sender.h"
#include "import/delivery/series_batch.h"
#include "import/remote_read.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep::importer {

// The length of a slice; the source holds a slice's data in memory.
inline constexpr int64_t kSliceMs = 3'600'000;

struct PrometheusSource {
  std::string url;
  std::vector<std::vector<Matcher>> selectors;  // each is requested separately
  TimeRange range;
};

class PrometheusImport {
 public:
  // Receives a 200 response's body piece by piece, with its Content-Type; returns false to stop.
  using TakeBody = std::function<bool(std::string_view content_type, std::string_view bytes)>;
  // Sends a request to the source; bodies of other responses are in the reply. Fails if there is no
  // complete response.
  using Read = std::function<absl::StatusOr<Reply>(const Outgoing&, const TakeBody&)>;

  // All must outlive this object.
  PrometheusImport(const PrometheusSource& source, Read read, Delivery::Wait wait,
                   Delivery::Patience patience, const ImportSession& session, ImportReport& report);

  // Fails if the source stops responding or the server accepts no more. With
  // ImportSession::resumes, the resume point is in the working directory and named after the
  // source.
  absl::Status Run();

 private:
  absl::Status ReadSlice(const std::vector<Matcher>& matchers, const TimeRange& slice);
  absl::StatusOr<Reply> Try(const Outgoing& request);
  absl::Status TakeSeries(const LabelSet& labels, const SampleColumns& samples);

  const PrometheusSource& source_;
  const Read read_;
  Delivery delivery_;
  const ImportSession& session_;
  ImportReport& report_;
  SampleSender sender_;
  SeriesBatch batch_{sender_};
  TimeRange slice_;
  absl::Status failure_;  // from decoding or processing the response
};

}  // namespace lockstep::importer
