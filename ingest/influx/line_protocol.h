// InfluxDB line protocol, line by line. Pure.
//
//   measurement,tag=value,tag=value field=1.5,field=2i,field="text",field=t 1700000000000000000
//
// Source: InfluxData, "Line protocol reference" for InfluxDB 1.8 and 2. A backslash takes the
// meaning of a comma, an equals sign or a space that follows, and in text of a quote or another
// backslash; before anything else it is a backslash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::influx {

// One of the fields of a point.
struct Field {
  std::string_view key;
  std::optional<double> value;  // nothing: text
};

// Views point into the line or into `unescaped`; so it is not to be copied. Reused from line to
// line.
struct Point {
  std::string_view measurement;
  std::vector<std::pair<std::string_view, std::string_view>> tags;  // names and values
  std::vector<Field> fields;
  std::optional<int64_t> time;  // in whatever unit the request says
  std::string unescaped;

  Point() = default;
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;
};

// Takes a line with its end from the front of `rest`, and counts the ends of lines in `line_count`:
// text in quotes may have some. The line comes without blanks around it; it is empty if there is
// nothing or a comment. Precondition: `rest` is not empty.
std::string_view TakeLine(std::string_view& rest, size_t& line_count);

// Reads a line that TakeLine() gave. kInvalidArgument, with one clause. Precondition: it is not
// empty.
absl::Status ParsePoint(std::string_view line, Point& point);

}  // namespace lockstep::influx
