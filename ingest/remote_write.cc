#include "ingest/remote_write.h"

#include <algorithm>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/histogram_message.h"
#include "ingest/metric_type.h"
#include "ingest/plain_series.h"

namespace lockstep {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

// Why labels cannot be a series.
struct BadLabels {
  RejectReason reason;
  std::string why;
};

bool ByName(const LabelView& a, const LabelView& b) { return a.name < b.name; }

std::optional<BadLabels> CheckLabel(const LabelView& label, const IngestLimits& limits) {
  if (label.name.empty()) return BadLabels{RejectReason::kEmptyLabelName, "empty label name"};
  if (label.name.size() > limits.max_label_name_bytes) {
    return BadLabels{RejectReason::kLabelTooLong,
                     absl::StrFormat("a label name of %d bytes is longer than the limit of %d",
                                     label.name.size(), limits.max_label_name_bytes)};
  }
  if (label.value.size() > limits.max_label_value_bytes) {
    return BadLabels{RejectReason::kLabelTooLong,
                     absl::StrFormat("a label value of %d bytes is longer than the limit of %d",
                                     label.value.size(), limits.max_label_value_bytes)};
  }
  if (!IsValidUtf8(label.name)) {
    return BadLabels{RejectReason::kInvalidUtf8, "a label name is not valid UTF-8"};
  }
  if (!IsValidUtf8(label.value)) {
    return BadLabels{RejectReason::kInvalidUtf8,
                     absl::StrFormat("the value of label \"%s\" is not valid UTF-8", label.name)};
  }
  return std::nullopt;
}

// Precondition: sorted by name.
std::optional<BadLabels> CheckLabels(const std::vector<LabelView>& labels,
                                     const IngestLimits& limits) {
  if (labels.size() > limits.max_labels_per_series) {
    return BadLabels{RejectReason::kTooManyLabels,
                     absl::StrFormat("%d labels are more than the limit of %d", labels.size(),
                                     limits.max_labels_per_series)};
  }
  bool has_metric_name = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (auto bad = CheckLabel(labels[i], limits)) return bad;
    if (i > 0 && labels[i].name == labels[i - 1].name) {
      return BadLabels{RejectReason::kDuplicateLabel,
                       absl::StrFormat("duplicate label name \"%s\"", labels[i].name)};
    }
    has_metric_name |= labels[i].name == kMetricName && !labels[i].value.empty();
  }
  if (!has_metric_name) {
    return BadLabels{RejectReason::kNoMetricName, "no metric name (label \"__name__\")"};
  }
  return std::nullopt;
}

LabelView ReadLabel(std::string_view message) {
  LabelView label;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        label.name = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        label.value = reader.get_view();
        break;
      default:
        reader.skip();
    }
  }
  return label;
}

Sample ReadSample(std::string_view message) {
  Sample sample;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        sample.value = reader.get_double();
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        sample.timestamp_ms = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
  return sample;
}

MetadataEntry ReadMetadata(std::string_view message) {
  MetadataEntry entry;
  entry.metadata.type = MetricTypeName(0);
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        entry.metadata.type = MetricTypeName(reader.get_enum());
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        entry.metric = reader.get_string();
        break;
      case tag_and_type(4, pbf_wire_type::length_delimited):
        entry.metadata.help = reader.get_string();
        break;
      case tag_and_type(5, pbf_wire_type::length_delimited):
        entry.metadata.unit = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  return entry;
}

bool IsUsable(const MetadataEntry& entry) {
  return !entry.metric.empty() && IsValidUtf8(entry.metric) && IsValidUtf8(entry.metadata.help) &&
         IsValidUtf8(entry.metadata.unit);
}

// Series in the plain form, by columns; `samples` of all of them in order.
struct PlainColumns {
  std::vector<std::string_view> messages;
  std::vector<uint32_t> sample_counts;
  std::vector<SeriesKey> keys;
  std::vector<SeriesRef> refs;
  std::vector<Sample> samples;

  void Clear() {
    messages.clear();
    sample_counts.clear();
    keys.clear();
    samples.clear();
  }
};

// Kept from request to request, unless a very large one was among them.
PlainColumns& ThreadPlainColumns() {
  constexpr size_t kMaxKeptSamples = 100'000;
  thread_local PlainColumns columns;
  if (columns.samples.capacity() > kMaxKeptSamples) columns = PlainColumns();
  columns.Clear();
  return columns;
}

// Walks one message. Its scratch vectors are reused from series to series.
class Decoder {
 public:
  Decoder(const IngestLimits& limits, const Storage* storage)
      : limits_(limits), storage_(storage), plain_(ThreadPlainColumns()) {}

  absl::StatusOr<DecodedWrite> Decode(std::string_view message) {
    protozero::pbf_reader reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(1, pbf_wire_type::length_delimited):
          if (++out_.series_count > limits_.max_series_per_request) {
            return absl::OutOfRangeError(
                absl::StrFormat("the request has more series than the limit of %d",
                                limits_.max_series_per_request));
          }
          ReadIfPlain(reader.get_view());
          break;
        case tag_and_type(3, pbf_wire_type::length_delimited):
          if (MetadataEntry entry = ReadMetadata(reader.get_view()); IsUsable(entry)) {
            out_.metadata.push_back(std::move(entry));
          }
          break;
        default:
          reader.skip();
      }
    }
    TakePlain();
    return std::move(out_);
  }

 private:
  void ReadIfPlain(std::string_view message) {
    const size_t samples_before = plain_.samples.size();
    const auto labels =
        storage_ == nullptr ? std::nullopt : ReadPlainSeries(message, plain_.samples);
    if (!labels.has_value()) return ReadSeries(message);
    plain_.messages.push_back(message);
    plain_.sample_counts.push_back(static_cast<uint32_t>(plain_.samples.size() - samples_before));
    plain_.keys.push_back(SeriesKeyOfWire(*labels));
  }

  // Hands over the samples of known series, and reads the others whole.
  void TakePlain() {
    if (plain_.messages.empty()) return;
    plain_.refs.resize(plain_.keys.size());
    storage_->FindSeries(plain_.keys, plain_.refs);
    out_.request.known.reserve(plain_.samples.size());
    const Sample* sample = plain_.samples.data();
    for (size_t i = 0; i < plain_.messages.size(); ++i) {
      const uint32_t count = plain_.sample_counts[i];
      if (plain_.refs[i].known()) {
        out_.sample_count += count;
        for (uint32_t n = 0; n < count; ++n) {
          out_.request.known.push_back({plain_.refs[i], sample[n]});
        }
      } else {
        ReadNew(plain_.messages[i], {sample, count});
      }
      sample += count;
    }
  }

  // `samples` are all that the message has.
  void ReadNew(std::string_view message, std::span<const Sample> samples) {
    labels_.clear();
    if (!ReadPlainLabels(message, labels_)) return ReadSeries(message);
    histograms_.clear();
    SeriesWrite series;
    series.samples.assign(samples.begin(), samples.end());
    Finish(std::move(series));
  }

  void ReadSeries(std::string_view message) {
    labels_.clear();
    histograms_.clear();
    SeriesWrite series;
    protozero::pbf_reader reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(1, pbf_wire_type::length_delimited):
          labels_.push_back(ReadLabel(reader.get_view()));
          break;
        case tag_and_type(2, pbf_wire_type::length_delimited):
          series.samples.push_back(ReadSample(reader.get_view()));
          break;
        case tag_and_type(3, pbf_wire_type::length_delimited):
          ++out_.exemplar_count;
          reader.skip();
          break;
        case tag_and_type(4, pbf_wire_type::length_delimited):
          histograms_.push_back(reader.get_view());
          break;
        default:
          reader.skip();
      }
    }
    Finish(std::move(series));
  }

  // Histograms are decoded when all labels are known, so that a refusal can name the series.
  void Finish(SeriesWrite series) {
    out_.sample_count += series.samples.size();
    out_.histogram_count += histograms_.size();
    if (!std::is_sorted(labels_.begin(), labels_.end(), ByName)) {
      std::stable_sort(labels_.begin(), labels_.end(), ByName);
    }
    if (const auto bad = CheckLabels(labels_, limits_)) {
      out_.refusals.Add(bad->reason, series.samples.size() + histograms_.size(), labels_, bad->why);
      return;
    }
    for (const std::string_view message : histograms_) {
      absl::StatusOr<HistogramSample> sample = DecodeHistogramMessage(message);
      if (sample.ok()) {
        series.histograms.push_back(*std::move(sample));
      } else {
        out_.refusals.Add(RejectReason::kBadHistogram, 1, labels_, Message(sample.status()));
      }
    }
    if (series.samples.empty() && series.histograms.empty()) return;
    std::erase_if(labels_, [](const LabelView& label) { return label.value.empty(); });
    series.labels = LabelSet::OfSorted(labels_);
    out_.request.series.push_back(std::move(series));
  }

  const IngestLimits& limits_;
  const Storage* const storage_;
  PlainColumns& plain_;
  DecodedWrite out_;
  std::vector<LabelView> labels_;
  std::vector<std::string_view> histograms_;
};

}  // namespace

absl::StatusOr<DecodedWrite> DecodeRemoteWrite(std::string_view message, const IngestLimits& limits,
                                               const Storage* storage) {
  // The one place where protozero's exceptions end.
  try {
    return Decoder(limits, storage).Decode(message);
  } catch (const protozero::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the body is not a remote write request: %s", error.what()));
  }
}

}  // namespace lockstep
