#include "ingest/exposition/family_text.h"

#include "base/text/float_format.h"
#include "ingest/exposition/series_text.h"

namespace lockstep::exposition {
namespace {

// Whether a label name needs no quotes; metric names may also contain ':'.
bool IsBare(std::string_view name) {
  return !name.empty() && NameLength(name) == name.size() && name.find(':') == name.npos;
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  AppendEscaped(out, text);
  out += '"';
}

void AppendLabels(std::string& out,
                  const std::vector<std::pair<std::string_view, std::string_view>>& labels) {
  for (const auto& [name, value] : labels) {
    if (!out.ends_with('{')) out += ',';
    if (IsBare(name)) {
      out += name;
    } else {
      AppendQuoted(out, name);
    }
    out += '=';
    AppendQuoted(out, value);
  }
}

}  // namespace

void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void AppendSeriesText(std::string& out, std::string_view name, const FamilyMetric& metric,
                      const FamilySample& sample) {
  const bool is_bare = !name.empty() && NameLength(name) == name.size();
  if (is_bare) {
    out += name;
    out += sample.suffix;
    if (metric.labels.empty() && sample.bound_label.empty()) return;
    out += '{';
  } else {
    out += "{\"";
    AppendEscaped(out, name);
    out += sample.suffix;
    out += '"';
  }
  AppendLabels(out, metric.labels);
  if (!sample.bound_label.empty()) {
    if (!out.ends_with('{')) out += ',';
    out += sample.bound_label;
    out += "=\"";
    AppendBound(out, sample.bound);
    out += '"';
  }
  out += '}';
}

void AppendExemplarText(std::string& out, const FamilyExemplar& exemplar) {
  out += '{';
  AppendLabels(out, exemplar.labels);
  out += "} ";
  AppendSampleValue(out, exemplar.value);
  if (!exemplar.timestamp_ms.has_value()) return;
  out += ' ';
  AppendTimestamp(out, *exemplar.timestamp_ms);
}

void AppendBound(std::string& out, double bound) {
  const size_t begin = out.size();
  AppendShortValue(out, bound);
  const bool is_whole = out.find_first_not_of("-0123456789", begin) == out.npos;
  if (is_whole) out += ".0";
}

}  // namespace lockstep::exposition
