// The catalogue's rows: names, and what they mean. Data alone.
#pragma once

#include <span>
#include <string_view>

#include "catalogue/metric_names.h"

namespace lockstep::catalogue {

struct NameRow {
  Role role;
  double factor;
  Stored stored;
  std::string_view names;       // '|' between them
  std::string_view label = {};  // that the series must have, with this value; "": none
  std::string_view label_value = {};
  std::string_view part = {};
};

// Rows of a role are in a row, the most telling names first.
std::span<const NameRow> NameRows();

}  // namespace lockstep::catalogue
