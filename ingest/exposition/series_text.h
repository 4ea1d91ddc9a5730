// A series as it stands in front of its value: name{label="value",...}, or {"name","label"="value"} with
// names beyond the old alphabet in quotes. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/exposition/text_format.h"
#include "model/labels.h"

namespace lockstep::exposition {

// Labels that point into the text they were read from, or into `unescaped` or `bound`; so they are not to be copied.
// Reused from series to series.
struct SeriesLabels {
  std::vector<LabelView> labels;               // sorted, each name once, no value empty
  std::vector<std::string_view> empty_labels;  // the names of those whose value is
  std::string unescaped;
  std::string bound;  // of UnifyBound()

  SeriesLabels() = default;
  SeriesLabels(const SeriesLabels&) = delete;
  SeriesLabels& operator=(const SeriesLabels&) = delete;
};

// The labels of a series, its name among them as __name__. kInvalidArgument, with one clause.
absl::Status ParseSeries(std::string_view series, TextFormat format, SeriesLabels& out);
// The labels of an exemplar, "{...}": as above, without a name.
absl::Status ParseExemplarLabels(std::string_view braces, SeriesLabels& out);

// How long the quoted text at the front is, both quotes included; npos if it does not end.
// Precondition: text begins with a quote.
size_t QuotedLength(std::string_view text);
// How long the labels at the front are, both braces included; npos if they do not end. What is between
// them is not looked at. Precondition: text begins with a brace.
size_t BracesLength(std::string_view text);
// How long the metric name of the old alphabet at the front is, 0: there is none.
size_t NameLength(std::string_view text);

// With \\, \" and \n resolved; other escapes stay as they are.
std::string Unescape(std::string_view text);

}  // namespace lockstep::exposition
