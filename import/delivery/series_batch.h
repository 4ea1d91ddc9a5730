// SeriesBatch: cuts whole series into write requests of bounded size. Not thread-safe.
#pragma once

#include <string>

#include "base/status.h"
#include "import/delivery/sample_sender.h"
#include "model/labels.h"
#include "model/sample.h"
#include "storage/write.h"

namespace lockstep::importer {

class SeriesBatch {
 public:
  // `sender` must outlive the batch.
  explicit SeriesBatch(SampleSender& sender) : sender_(sender) {}

  // Sends each request once it is full; fails if the sender does.
  absl::Status Add(const LabelSet& labels, const SampleColumns& samples);
  absl::Status Flush();

  bool empty() const { return request_.series.empty(); }

 private:
  // The series to which the next sample of `labels` goes.
  absl::StatusOr<SeriesWrite*> Room(const LabelSet& labels);

  SampleSender& sender_;
  WriteRequest request_;
  size_t sample_count_ = 0;
};

}  // namespace lockstep::importer
