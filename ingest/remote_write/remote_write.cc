#include "ingest/remote_write/remote_write.h"

#include <optional>
#include <protozero/pbf_reader.hpp>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/remote_write/label_message.h"
#include "ingest/remote_write/plain_series.h"
#include "ingest/remote_write/target_memo.h"
#include "ingest/side_data/metric_type.h"
#include "ingest/write/series_collector.h"
#include "ingest/write/series_lookup.h"

namespace lockstep {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

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

Exemplar ReadExemplar(std::string_view message) {
  Exemplar exemplar;
  std::vector<LabelView> labels;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        labels.push_back(ReadLabel(reader.get_view()));
        break;
      case tag_and_type(2, pbf_wire_type::fixed64):
        exemplar.value = reader.get_double();
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        exemplar.timestamp_ms = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
  exemplar.labels = LabelSet::Of(std::move(labels));
  return exemplar;
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

// Decodes one message. Reuses its scratch vectors across series.
class Decoder {
 public:
  Decoder(const IngestLimits& limits, const Storage* storage)
      : limits_(limits),
        storage_(storage),
        lookup_(SeriesLookup::ForThisThread()),
        targets_(ThreadTargets()),
        collector_(limits, out_) {}

  absl::StatusOr<DecodedWrite> Decode(std::string_view message) {
    out_.memory.Begin(message.size(), limits_);
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
          TakeMetadata(reader.get_view());
          break;
        default:
          reader.skip();
      }
    }
    TakePlain();
    LOCKSTEP_RETURN_IF_ERROR(out_.memory.status());
    return std::move(out_);
  }

 private:
  void TakeMetadata(std::string_view message) {
    if (message.size() > limits_.max_metadata_bytes) return;
    if (!out_.memory.Add(2 * sizeof(MetadataEntry) + message.size())) return;
    MetadataEntry entry = ReadMetadata(message);
    if (IsUsable(entry)) out_.metadata.push_back(std::move(entry));
  }

  void ReadIfPlain(std::string_view message) {
    // The memory per series: the lookup's entry, and its samples there and on their way to the
    // store.
    constexpr uint64_t kSeriesBytes = 64;
    constexpr uint64_t kSampleBytes = 2 * sizeof(Sample) + sizeof(KnownSample);
    if (!out_.memory.AddMessage(message)) return;
    const size_t samples_before = lookup_.samples().size();
    const auto labels =
        storage_ == nullptr ? std::nullopt : ReadPlainSeries(message, lookup_.samples());
    if (!labels.has_value()) return ReadSeries(message);
    plain_.push_back(message);
    lookup_.Close(KeyOf(*labels));
    const uint64_t sample_count = lookup_.samples().size() - samples_before;
    static_cast<void>(out_.memory.Add(kSeriesBytes + kSampleBytes * sample_count));
  }

  SeriesKey KeyOf(const WireLabels& labels) {
    const uint32_t number = targets_.Find(labels.before_name, labels.after_name).number;
    const TargetMemo::Target& target = targets_.target(number);
    return SeriesKeyOfHashes(target.before_hash, HashOfLabels(labels.name), target.after_hash);
  }

  // Returned empty.
  static TargetMemo& ThreadTargets() {
    thread_local TargetMemo targets;
    targets.Clear();
    return targets;
  }

  // Passes on the samples of known series, and decodes the others completely.
  void TakePlain() {
    if (plain_.empty() || !out_.memory.status().ok()) return;
    out_.sample_count += lookup_.Resolve(
        *storage_, out_.request.known,
        [this](size_t i, std::span<const Sample> samples) { ReadNew(plain_[i], samples); });
  }

  // `samples` are all samples in the message.
  void ReadNew(std::string_view message, std::span<const Sample> samples) {
    labels_.clear();
    if (!ReadPlainLabels(message, labels_)) return ReadSeries(message);
    histograms_.clear();
    SeriesWrite series;
    series.samples.assign(samples.begin(), samples.end());
    collector_.Add(std::move(series), labels_, histograms_, {});
  }

  void ReadSeries(std::string_view message) {
    labels_.clear();
    histograms_.clear();
    SeriesWrite series;
    std::vector<std::string_view> exemplars;
    protozero::pbf_reader reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(1, pbf_wire_type::length_delimited):
          // One label over the limit is enough to detect the excess.
          if (labels_.size() <= limits_.max_labels_per_series) {
            labels_.push_back(ReadLabel(reader.get_view()));
          } else {
            reader.skip();
          }
          break;
        case tag_and_type(2, pbf_wire_type::length_delimited):
          series.samples.push_back(ReadSample(reader.get_view()));
          break;
        case tag_and_type(3, pbf_wire_type::length_delimited):
          exemplars.push_back(reader.get_view());
          break;
        case tag_and_type(4, pbf_wire_type::length_delimited):
          histograms_.push_back(reader.get_view());
          break;
        default:
          reader.skip();
      }
    }
    collector_.Add(std::move(series), labels_, histograms_, ExemplarsOf(exemplars));
  }

  std::vector<Exemplar> ExemplarsOf(std::span<const std::string_view> messages) {
    std::vector<Exemplar> exemplars;
    for (const std::string_view message :
         messages.first(collector_.AdmitExemplars(messages.size()))) {
      if (message.size() > kMaxExemplarMessageBytes) continue;
      exemplars.push_back(ReadExemplar(message));
    }
    return exemplars;
  }

  // The exemplar store would refuse the labels of longer messages.
  static constexpr size_t kMaxExemplarMessageBytes = 4 << 10;

  const IngestLimits& limits_;
  const Storage* const storage_;
  SeriesLookup& lookup_;
  TargetMemo& targets_;
  DecodedWrite out_;
  SeriesCollector collector_;
  std::vector<std::string_view> plain_;  // messages, in the lookup's order
  std::vector<LabelView> labels_;
  std::vector<std::string_view> histograms_;
};

}  // namespace

absl::StatusOr<DecodedWrite> DecodeRemoteWrite(std::string_view message, const IngestLimits& limits,
                                               const Storage* storage) {
  // protozero's exceptions end here.
  try {
    return Decoder(limits, storage).Decode(message);
  } catch (const protozero::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the body is not a remote write request: %s", error.what()));
  }
}

}  // namespace lockstep
