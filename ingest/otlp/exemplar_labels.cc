#include "ingest/otlp/exemplar_labels.h"

#include <utility>
#include <vector>

#include "ingest/otlp/time_units.h"

namespace lockstep::otlp {

std::optional<Exemplar> ExemplarOf(const OtlpExemplar& exemplar) {
  if (!exemplar.value.has_value()) return std::nullopt;
  std::vector<LabelView> labels;
  if (!exemplar.trace_id.empty()) labels.push_back({"trace_id", exemplar.trace_id});
  if (!exemplar.span_id.empty()) labels.push_back({"span_id", exemplar.span_id});
  std::vector<LabelView> with_attributes = labels;
  for (const LabelView& attribute : exemplar.attributes.all()) with_attributes.push_back(attribute);
  LabelSet all = LabelSet::Of(std::move(with_attributes));
  return Exemplar{ExemplarStore::IsTooLong(all) ? LabelSet::Of(std::move(labels)) : std::move(all),
                  *exemplar.value, MillisecondsOf(exemplar.time_ns)};
}

}  // namespace lockstep::otlp
