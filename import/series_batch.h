// SeriesBatch: whole series, cut into write requests of a bounded size. Not thread-safe.
#pragma once

#include <string>

#include "base/status.h"
#include "import/sample_sender.h"
#include "model/labels.h"
#include "model/sample.h"
#include "storage/storage.h"

namespace lockstep::importer {

class SeriesBatch {
 public:
  // It outlives the batch.
  explicit SeriesBatch(SampleSender& sender) : sender_(sender) {}

  // Sends as soon as a request is full; fails as the sender does.
  absl::Status Add(const LabelSet& labels, const SampleColumns& samples);
  absl::Status Flush();

  bool empty() const { return request_.series.empty(); }

 private:
  // Where the next sample of `labels` goes.
  absl::StatusOr<SeriesWrite*> Room(const LabelSet& labels);

  SampleSender& sender_;
  WriteRequest request_;
  size_t sample_count_ = 0;
};

}  // namespace lockstep::importer
