// PrometheusImport: what a running Prometheus holds, by its remote read, in slices of time. Not thread-safe.
//
// Each slice is asked for as streamed chunks, which a server that knows none answers with samples. A slice that
// broke off is asked for again: what was delivered of it is stored already.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/delivery.h"
#include "import/import_session.h"
#include "import/remote_read_answer.h"
#include "import/sample_sender.h"
#include "import/series_batch.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep::importer {

// Of time; what a slice holds waits in the source's memory.
inline constexpr int64_t kSliceMs = 3'600'000;

struct PrometheusSource {
  std::string url;
  std::vector<std::vector<Matcher>> selectors;  // each is asked for by itself
  TimeRange range;
};

class PrometheusImport {
 public:
  // Hears of a body of 200 piece by piece, with its Content-Type; false: no more of it.
  using TakeBody = std::function<bool(std::string_view content_type, std::string_view bytes)>;
  // Asks the source; bodies of other answers are in the reply. Fails if no answer came, or not all of it.
  using Read = std::function<absl::StatusOr<Reply>(const Outgoing&, const TakeBody&)>;

  // All of them outlive it.
  PrometheusImport(const PrometheusSource& source, Read read, Delivery::Wait wait,
                   Delivery::Patience patience, const ImportSession& session, ImportReport& report);

  // Fails when the source answers no more or the server takes nothing more. With ImportSession::resumes the
  // resume point is in the folder where the program runs, and is named after the source.
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
  absl::Status failure_;  // of the answer that is read, or of what was made of it
};

}  // namespace lockstep::importer
