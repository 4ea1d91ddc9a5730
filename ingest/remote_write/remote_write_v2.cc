#include "ingest/remote_write/remote_write_v2.h"

#include <algorithm>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/remote_write/plain_series_v2.h"
#include "ingest/remote_write/reference_keys.h"
#include "ingest/remote_write/symbol_table.h"
#include "ingest/side_data/metric_type.h"
#include "ingest/write/label_check.h"
#include "ingest/write/series_collector.h"
#include "ingest/write/series_lookup.h"

namespace lockstep {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

void AppendReferences(protozero::pbf_reader& reader, std::vector<uint32_t>& references) {
  for (const uint32_t reference : reader.get_packed_uint32()) references.push_back(reference);
}

struct SampleWithStart {
  Sample sample;
  int64_t start_ms = 0;
};

SampleWithStart ReadSampleWithStart(std::string_view message) {
  SampleWithStart read;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        read.sample.value = reader.get_double();
        break;
      case tag_and_type(2, pbf_wire_type::varint):
        read.sample.timestamp_ms = reader.get_int64();
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        read.start_ms = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
  return read;
}

MetadataReferences ReadMetadataReferences(std::string_view message) {
  MetadataReferences metadata;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint):
        metadata.type = reader.get_enum();
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        metadata.help = reader.get_uint32();
        break;
      case tag_and_type(4, pbf_wire_type::varint):
        metadata.unit = reader.get_uint32();
        break;
      default:
        reader.skip();
    }
  }
  return metadata;
}

struct ExemplarMessage {
  std::vector<uint32_t> references;
  double value = 0;
  int64_t timestamp_ms = 0;
};

ExemplarMessage ReadExemplarMessage(std::string_view message) {
  ExemplarMessage exemplar;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        AppendReferences(reader, exemplar.references);
        break;
      case tag_and_type(1, pbf_wire_type::varint):
        exemplar.references.push_back(reader.get_uint32());
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
  return exemplar;
}

// The fields of one TimeSeries message, with its views and references.
struct SeriesMessage {
  std::vector<uint32_t> references;
  std::vector<Sample> samples;
  std::vector<int64_t> starts_ms;  // of the first samples, 0: none; later ones have none
  std::vector<std::string_view> histograms;
  std::vector<std::string_view> exemplars;
  MetadataReferences metadata;
  int64_t created_ms = 0;

  void Clear() {
    references.clear();
    samples.clear();
    starts_ms.clear();
    histograms.clear();
    exemplars.clear();
    metadata = MetadataReferences();
    created_ms = 0;
  }
};

// Overwrites `series`, whose vectors are reused.
void ReadSeriesMessage(std::string_view message, SeriesMessage& series) {
  series.Clear();
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        AppendReferences(reader, series.references);
        break;
      case tag_and_type(1, pbf_wire_type::varint):
        series.references.push_back(reader.get_uint32());
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited): {
        const SampleWithStart read = ReadSampleWithStart(reader.get_view());
        series.samples.push_back(read.sample);
        if (read.start_ms != 0) {
          series.starts_ms.resize(series.samples.size());
          series.starts_ms.back() = read.start_ms;
        }
        break;
      }
      case tag_and_type(3, pbf_wire_type::length_delimited):
        series.histograms.push_back(reader.get_view());
        break;
      case tag_and_type(4, pbf_wire_type::length_delimited):
        series.exemplars.push_back(reader.get_view());
        break;
      case tag_and_type(5, pbf_wire_type::length_delimited):
        series.metadata = ReadMetadataReferences(reader.get_view());
        break;
      case tag_and_type(6, pbf_wire_type::varint):
        series.created_ms = reader.get_int64();
        break;
      default:
        reader.skip();
    }
  }
}

// The start timestamps of floats, in SeriesWrite's form.
std::vector<int64_t> StartsOf(const SeriesMessage& message) {
  if (message.starts_ms.empty() && message.created_ms == 0) return {};
  std::vector<int64_t> starts_ms = message.starts_ms;
  starts_ms.resize(message.samples.size());
  std::ranges::replace(starts_ms, 0, message.created_ms);
  return starts_ms;
}

// Decodes one message. Reuses its scratch vectors across series.
class RequestDecoder {
 public:
  RequestDecoder(const IngestLimits& limits, const Storage* storage)
      : limits_(limits),
        storage_(storage),
        symbols_(ThreadSymbols()),
        keys_(ThreadKeys()),
        lookup_(SeriesLookup::ForThisThread()),
        collector_(limits, out_) {}

  absl::StatusOr<DecodedWrite> Decode(std::string_view message) {
    // A symbol's memory, including its metadata references.
    constexpr uint64_t kSymbolBytes = 2 * (sizeof(std::string_view) + sizeof(MetadataReferences));
    out_.memory.Begin(message.size(), limits_);
    std::vector<std::string_view> all_series;
    protozero::pbf_reader reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(4, pbf_wire_type::length_delimited):
          if (!out_.memory.Add(kSymbolBytes)) return out_.memory.status();
          symbols_.Add(reader.get_view());
          break;
        case tag_and_type(5, pbf_wire_type::length_delimited):
          if (++out_.series_count > limits_.max_series_per_request) {
            return absl::OutOfRangeError(
                absl::StrFormat("the request has more series than the limit of %d",
                                limits_.max_series_per_request));
          }
          all_series.push_back(reader.get_view());
          break;
        default:
          reader.skip();
      }
    }
    noted_.resize(symbols_.size());
    for (const std::string_view series : all_series) ReadIfPlain(series);
    TakePlain();
    LOCKSTEP_RETURN_IF_ERROR(out_.memory.status());
    return std::move(out_);
  }

 private:
  // Both are returned empty. Very large buffers are freed.
  static constexpr size_t kMaxKeptBytes = 4 << 20;
  static SymbolTable& ThreadSymbols() {
    thread_local SymbolTable symbols;
    if (symbols.kept_bytes() > kMaxKeptBytes) symbols = SymbolTable();
    symbols.Clear();
    return symbols;
  }
  static ReferenceKeys& ThreadKeys() {
    thread_local ReferenceKeys keys;
    if (keys.kept_bytes() > kMaxKeptBytes) keys = ReferenceKeys();
    keys.Clear();
    return keys;
  }

  void ReadIfPlain(std::string_view message) {
    constexpr uint64_t kSeriesBytes = 64;
    constexpr uint64_t kSampleBytes = 2 * sizeof(Sample) + sizeof(KnownSample);
    if (!out_.memory.AddMessage(message)) return;
    MetadataReferences metadata;
    const size_t samples_before = lookup_.samples().size();
    const auto labelled = ReadPlain(message, metadata);
    if (!labelled.has_value()) {
      lookup_.samples().resize(samples_before);
      return ReadSeries(message);
    }
    Note(metadata, labelled->name);
    plain_.push_back(message);
    lookup_.Close(labelled->key);
    const uint64_t sample_count = lookup_.samples().size() - samples_before;
    static_cast<void>(out_.memory.Add(kSeriesBytes + kSampleBytes * sample_count));
  }

  // Returns the key and adds the samples to the lookup. If the series is not in the plain form,
  // returns nothing, and the samples there are unspecified.
  std::optional<ReferenceKeys::Labelled> ReadPlain(std::string_view message,
                                                   MetadataReferences& metadata) {
    if (storage_ == nullptr) return std::nullopt;
    const auto references = ReadPlainSeriesV2(message, lookup_.samples(), metadata);
    if (!references.has_value() || !Has(metadata)) return std::nullopt;
    const auto labelled = keys_.Of(*references, symbols_);
    if (!labelled.has_value() || labelled->label_count > limits_.max_labels_per_series) {
      return std::nullopt;
    }
    return labelled;
  }

  // Passes on the samples of known series, and decodes the others completely.
  void TakePlain() {
    if (plain_.empty() || !out_.memory.status().ok()) return;
    out_.sample_count +=
        lookup_.Resolve(*storage_, out_.request.known,
                        [this](size_t i, std::span<const Sample>) { ReadSeries(plain_[i]); });
  }

  void ReadSeries(std::string_view message) {
    if (!out_.memory.status().ok()) return;
    ReadSeriesMessage(message, read_);
    SeriesMessage& read = read_;
    labels_.clear();
    if (read.references.size() > 2 * limits_.max_labels_per_series) {
      return Refuse(read,
                    {RejectReason::kTooManyLabels,
                     absl::StrFormat("%d labels exceed the limit of %d", read.references.size() / 2,
                                     limits_.max_labels_per_series)});
    }
    if (!symbols_.AreLabels(read.references)) {
      return Refuse(read, {RejectReason::kBadReference, "a label is not in the symbols"});
    }
    symbols_.AppendLabels(read.references, labels_);
    if (!Has(read.metadata)) {
      return Refuse(read, {RejectReason::kBadReference, "help or unit is not in the symbols"});
    }
    if (const auto bad = CheckSpelling(labels_)) return Refuse(read, *bad);
    if (const auto name = symbols_.MetricNameOf(read.references)) Note(read.metadata, *name);
    const size_t series_before = out_.request.series.size();
    SeriesWrite series;
    series.start_timestamps_ms = StartsOf(read);
    series.samples = read.samples;
    collector_.Add(std::move(series), labels_, read.histograms, ExemplarsOf(read));
    if (out_.request.series.size() == series_before) return;
    for (HistogramSample& sample : out_.request.series.back().histograms) {
      if (sample.start_timestamp_ms == 0) sample.start_timestamp_ms = read.created_ms;
    }
  }

  // The exemplars whose labels are in the symbols; the others are refused under the series' labels.
  std::vector<Exemplar> ExemplarsOf(const SeriesMessage& read) {
    std::vector<Exemplar> exemplars;
    const size_t admitted = collector_.AdmitExemplars(read.exemplars.size());
    if (admitted < read.exemplars.size()) {
      out_.refusals.Add(RejectReason::kBadExemplar, 0, labels_,
                        "the request has more exemplars than the limit");
    }
    for (const std::string_view bytes : std::span(read.exemplars).first(admitted)) {
      const ExemplarMessage message = ReadExemplarMessage(bytes);
      if (!symbols_.AreLabels(message.references)) {
        out_.refusals.Add(RejectReason::kBadReference, 0, labels_,
                          "an exemplar's label is not in the symbols");
        continue;
      }
      if (BytesOf(message.references) > limits_.max_exemplar_label_bytes) {
        out_.refusals.Add(RejectReason::kBadExemplar, 0, labels_,
                          "an exemplar's labels are too long");
        continue;
      }
      std::vector<LabelView> labels;
      symbols_.AppendLabels(message.references, labels);
      exemplars.push_back({LabelSet::Of(std::move(labels)), message.value, message.timestamp_ms});
    }
    return exemplars;
  }

  // The size of the referenced texts. Precondition: symbols_.AreLabels(references).
  uint64_t BytesOf(std::span<const uint32_t> references) const {
    uint64_t bytes = 0;
    for (const uint32_t number : references) bytes += symbols_.text(number).size();
    return bytes;
  }

  void Refuse(const SeriesMessage& read, const BadLabels& bad) {
    out_.sample_count += read.samples.size();
    out_.histogram_count += read.histograms.size();
    out_.exemplar_count += read.exemplars.size();
    out_.refusals.Add(bad.reason, read.samples.size() + read.histograms.size(), labels_, bad.why);
  }

  bool Has(const MetadataReferences& metadata) const {
    const auto has = [this](uint32_t n) { return n == 0 || n < symbols_.size(); };
    return has(metadata.help) && has(metadata.unit);
  }

  // Records the metadata of the metric with this name. Most series of a metric repeat it.
  void Note(const MetadataReferences& metadata, uint32_t name) {
    if (metadata == MetadataReferences() || noted_[name] == metadata) return;
    noted_[name] = metadata;
    uint64_t bytes = 2 * sizeof(MetadataEntry);
    for (const uint32_t n : {name, metadata.help, metadata.unit}) {
      bytes += symbols_.Find(n).value_or("").size();
    }
    if (bytes > limits_.max_metadata_bytes || !out_.memory.Add(bytes)) return;
    const auto text = [this](uint32_t n) { return std::string(symbols_.Find(n).value_or("")); };
    MetadataEntry entry{
        text(name),
        {std::string(MetricTypeName(metadata.type)), text(metadata.help), text(metadata.unit)}};
    if (IsUsable(entry)) out_.metadata.push_back(std::move(entry));
  }

  const IngestLimits& limits_;
  const Storage* const storage_;
  SymbolTable& symbols_;
  ReferenceKeys& keys_;
  SeriesLookup& lookup_;
  DecodedWrite out_;
  SeriesCollector collector_;
  std::vector<std::string_view> plain_;    // messages, in the lookup's order
  std::vector<MetadataReferences> noted_;  // by the symbol number of the metric name
  SeriesMessage read_;
  std::vector<LabelView> labels_;
};

}  // namespace

absl::StatusOr<DecodedWrite> DecodeRemoteWriteV2(std::string_view message,
                                                 const IngestLimits& limits,
                                                 const Storage* storage) {
  // protozero's exceptions end here.
  try {
    return RequestDecoder(limits, storage).Decode(message);
  } catch (const protozero::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the body is not a remote write 2.0 request: %s", error.what()));
  }
}

}  // namespace lockstep
