// Parses the series in front of a value: name{label="value",...}, or {"name","label"="value"} with
// UTF-8 names in quotes. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ingest/exposition/text_format.h"
#include "model/labels.h"

namespace lockstep::exposition {

// Labels that point into the parsed text, `unescaped` or `bound`, so they must not be copied.
// Reused from series to series.
struct SeriesLabels {
  std::vector<LabelView> labels;               // sorted, unique names, non-empty values
  std::vector<std::string_view> empty_labels;  // names of labels with empty values
  std::string unescaped;
  std::string bound;  // used by UnifyBound()

  SeriesLabels() = default;
  SeriesLabels(const SeriesLabels&) = delete;
  SeriesLabels& operator=(const SeriesLabels&) = delete;
};

// The labels of a series, including __name__. kInvalidArgument, with one clause.
absl::Status ParseSeries(std::string_view series, TextFormat format, SeriesLabels& out);
// The labels of an exemplar, "{...}": as above, but without a name.
absl::Status ParseExemplarLabels(std::string_view braces, SeriesLabels& out);

// The length of the quoted text at the front, including quotes; npos if it is not closed.
// Precondition: text begins with a quote.
size_t QuotedLength(std::string_view text);
// The length of the labels at the front, including braces; npos if they are not closed. Does not
// validate them. Precondition: text begins with a brace.
size_t BracesLength(std::string_view text);
// The length of the unquoted metric name at the front; 0 if there is none.
size_t NameLength(std::string_view text);

// Resolves \\, \" and \n; other escapes are kept.
std::string Unescape(std::string_view text);

}  // namespace lockstep::exposition
