#include "ingest/exposition/family_reader.h"

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/exposition/family_text.h"
#include "ingest/exposition/malformed.h"
#include "ingest/side_data/metric_type.h"

namespace lockstep::exposition {
namespace {

std::string_view TypeName(FamilyType type) {
  switch (type) {
    case FamilyType::kCounter:
      return "counter";
    case FamilyType::kGauge:
      return "gauge";
    case FamilyType::kSummary:
      return "summary";
    case FamilyType::kHistogram:
      return "histogram";
    case FamilyType::kGaugeHistogram:
      return "gaugehistogram";
    case FamilyType::kUntyped:
      break;
  }
  return MetricTypeName(0);
}

// Takes one length-delimited message from the front of `rest`; false if it is truncated.
bool TakeMessage(std::string_view& rest, std::string_view& message) {
  const char* at = rest.data();
  const char* const end = at + rest.size();
  const uint64_t length = protozero::decode_varint(&at, end);
  if (length > static_cast<uint64_t>(end - at)) return false;
  message = std::string_view(at, length);
  rest.remove_prefix(static_cast<size_t>(at - rest.data()) + length);
  return true;
}

}  // namespace

absl::StatusOr<bool> FamilyReader::Next(TextEntry& entry) {
  // protozero's exceptions end here.
  try {
    absl::StatusOr<bool> more = Take(entry);
    if (!more.ok()) return InPlace(more.status());
    return more;
  } catch (const protozero::exception& error) {
    return InPlace(Malformed(absl::StrFormat("not a MetricFamily message: %s", error.what())));
  }
}

absl::Status FamilyReader::InPlace(const absl::Status& status) const {
  return Malformed(
      absl::StrFormat("metric family %d: %s", family_count_, std::string(status.message())));
}

absl::StatusOr<bool> FamilyReader::Take(TextEntry& entry) {
  entry = TextEntry();
  while (true) {
    if (next_description_ < descriptions_.size()) {
      entry = descriptions_[next_description_++];
      return true;
    }
    if (TakeExemplar(entry)) return true;
    if (next_sample_ < metric_.samples.size()) {
      TakeSample(metric_.samples[next_sample_++], entry);
      return true;
    }
    if (next_metric_ < family_.metrics.size()) {
      LOCKSTEP_ASSIGN_OR_RETURN(metric_,
                                ReadMetric(family_.metrics[next_metric_++], family_.type, choice_));
      next_sample_ = 0;
      continue;
    }
    if (rest_.empty()) return false;
    LOCKSTEP_RETURN_IF_ERROR(TakeFamily());
  }
}

absl::Status FamilyReader::TakeFamily() {
  ++family_count_;
  std::string_view message;
  if (!TakeMessage(rest_, message)) return Malformed("not a MetricFamily message: it is truncated");
  family_ = ReadFamily(message);
  metric_ = FamilyMetric();
  next_metric_ = next_sample_ = next_description_ = 0;
  descriptions_.clear();
  // Prometheus ignores it.
  if (family_.metrics.empty()) return absl::OkStatus();
  if (!IsValidUtf8(family_.help)) return Malformed("the help text is not valid UTF-8");
  LOCKSTEP_RETURN_IF_ERROR(CheckUnit());
  name_.clear();
  AppendEscaped(name_, family_.name);
  help_.clear();
  AppendEscaped(help_, family_.help);
  Describe(EntryKind::kType, TypeName(family_.type));
  if (!help_.empty()) Describe(EntryKind::kHelp, help_);
  if (!family_.unit.empty()) Describe(EntryKind::kUnit, family_.unit);
  return absl::OkStatus();
}

// As in text, a unit is the suffix of its metric's name; a counter may append "_total".
absl::Status FamilyReader::CheckUnit() const {
  constexpr std::string_view kTotal = "_total";
  std::string_view name = family_.name;
  if (family_.unit.empty()) return absl::OkStatus();
  if (family_.type == FamilyType::kCounter && name.ends_with(kTotal)) {
    name.remove_suffix(kTotal.size());
  }
  const bool fits = name.size() > family_.unit.size() && name.ends_with(family_.unit) &&
                    name[name.size() - family_.unit.size() - 1] == '_';
  if (fits) return absl::OkStatus();
  return Malformed(absl::StrFormat("the metric name \"%s\" does not end with its unit \"%s\"",
                                   Shown(family_.name), Shown(family_.unit)));
}

void FamilyReader::Describe(EntryKind kind, std::string_view text) {
  TextEntry entry;
  entry.kind = kind;
  entry.metric = name_;
  entry.text = text;
  descriptions_.push_back(std::move(entry));
}

void FamilyReader::TakeSample(const FamilySample& sample, TextEntry& entry) {
  series_.clear();
  AppendSeriesText(series_, family_.name, metric_, sample);
  entry.kind = sample.histogram == nullptr ? EntryKind::kSample : EntryKind::kHistogram;
  entry.series = series_;
  entry.value = sample.value;
  entry.histogram = sample.histogram;
  entry.timestamp_ms = metric_.timestamp_ms;
  next_exemplar_ = 0;
}

// Takes the next exemplar of the last sample.
bool FamilyReader::TakeExemplar(TextEntry& entry) {
  if (next_sample_ == 0) return false;
  const FamilySample& sample = metric_.samples[next_sample_ - 1];
  if (next_exemplar_ == sample.exemplars.size()) return false;
  exemplar_.clear();
  AppendExemplarText(exemplar_, ReadExemplar(sample.exemplars[next_exemplar_++]));
  entry.kind = EntryKind::kExemplar;
  entry.series = series_;
  entry.exemplar = exemplar_;
  entry.timestamp_ms = metric_.timestamp_ms;
  return true;
}

}  // namespace lockstep::exposition
