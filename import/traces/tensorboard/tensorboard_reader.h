// Reads a TensorBoard event file: scalars of any encoding become records.
//
// Scalars are simple values (TensorFlow 1, PyTorch) or tensors of one element (TensorFlow 2, JAX),
// including NaN and infinity. Histograms, images, text and graphs are counted and skipped. A file
// still being written can be followed: complete records are read, the rest later.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "import/traces/records/trace_problems.h"
#include "import/traces/records/trace_record.h"
#include "import/traces/tensorboard/event_message.h"
#include "import/traces/tensorboard/tensorboard_tag.h"
#include "import/traces/tensorboard/tfrecord.h"

namespace lockstep::traces {

struct TensorboardCounts {
  uint64_t events = 0;        // complete and undamaged
  uint64_t scalars = 0;       // that became records
  uint64_t histograms = 0;    // skipped
  uint64_t other_values = 0;  // skipped: images, audio, text, larger tensors
  uint64_t other_events = 0;  // skipped: graphs, run metadata, log messages
};

// For one thread and one file.
class TensorboardReader {
 public:
  // Adds the next bytes of the file; appends completed records to `records`.
  void Feed(std::string_view bytes, std::vector<TraceRecord>& records);
  // Call at the end of the file: counts an incomplete record among problems().
  void Finish();

  const TensorboardCounts& counts() const { return counts_; }
  const TraceProblems& problems() const { return problems_; }
  // Everything before this offset has been read: continue here after a restart.
  uint64_t offset() const { return records_.offset(); }
  // Whether damage ended the reading.
  bool is_stopped() const { return records_.is_stopped(); }
  // The number of distinct tags with a scalar.
  size_t tag_count() const;

 private:
  // The TensorBoard plugin that shows a tag and so says what its tensors are. Kept for each tag,
  // because writers usually name it only with the first value.
  enum class Plugin : uint8_t { kUnknown, kScalars, kHistograms, kOther };
  struct Tag {
    TagMeaning meaning;
    Plugin plugin = Plugin::kUnknown;
    bool has_scalars = false;
  };

  void TakeEvent(const TfRecord& record, std::vector<TraceRecord>& out);
  void TakeValue(const EventMessage& event, const SummaryValue& value, uint64_t offset,
                 std::vector<TraceRecord>& out);
  static Plugin PluginOf(std::string_view name);
  Tag* FindOrAddTag(const SummaryValue& value, uint64_t offset);

  TraceProblems problems_;
  TfRecordReader records_{problems_};
  TensorboardCounts counts_;
  StringMap<Tag> tags_;
};

}  // namespace lockstep::traces
