// A TensorBoard event file: scalars, however they were written, to records.
//
// Scalars are simple values (TensorFlow 1, PyTorch) or tensors of one element (TensorFlow 2, JAX); NaN and infinity
// are values. Histograms, images, text and graphs are counted and left out. A file that is still written to can
// be followed: what is whole is read, the rest when it comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "import/traces/event_message.h"
#include "import/traces/tensorboard_tag.h"
#include "import/traces/tfrecord.h"
#include "import/traces/trace_problems.h"
#include "import/traces/trace_record.h"

namespace lockstep::traces {

struct TensorboardCounts {
  uint64_t events = 0;          // whole and undamaged
  uint64_t scalars = 0;         // that became records
  uint64_t histograms = 0;      // left out
  uint64_t other_values = 0;    // left out: images, audio, text, tensors of several elements
  uint64_t other_events = 0;    // left out: graphs, run metadata, log messages
  uint64_t session_starts = 0;  // the writer began, or began again
};

// For one thread and one file.
class TensorboardReader {
 public:
  // The next bytes of the file, of any number; appends what they complete to `records`.
  void Feed(std::string_view bytes, std::vector<TraceRecord>& records);
  // The file ends here: a record that is not whole is counted among problems().
  void Finish();

  const TensorboardCounts& counts() const { return counts_; }
  const TraceProblems& problems() const { return problems_; }
  // What is before it has been read for good: where to go on after a restart.
  uint64_t offset() const { return records_.offset(); }
  // Whether damage ended the reading.
  bool is_stopped() const { return records_.is_stopped(); }
  // Different tags that have had a scalar.
  size_t tag_count() const;

 private:
  // Who shows a tag's values.
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
