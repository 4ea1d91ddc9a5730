// The catalogue's rows: names and their meanings. Only data.
#pragma once

#include <span>
#include <string_view>

#include "catalogue/metric_names.h"

namespace lockstep::catalogue {

struct NameRow {
  Role role;
  double factor;
  Stored stored;
  std::string_view names;       // separated by '|'
  std::string_view label = {};  // label that the series must have, with this value; "": none
  std::string_view label_value = {};
  std::string_view part = {};
};

// The rows of a role are consecutive, the most specific names first.
std::span<const NameRow> NameRows();

}  // namespace lockstep::catalogue
