// Parses InfluxDB line protocol line by line. Pure functions.
//
//   measurement,tag=value,tag=value field=1.5,field=2i,field="text",field=t 1700000000000000000
//
// Source: InfluxData, "Line protocol reference" for InfluxDB 1.8 and 2. A backslash escapes a
// comma, an equals sign or a space, and within quoted text a quote or a backslash; before anything
// else it stands for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lockstep::influx {

// One field of a point.
struct Field {
  std::string_view written_key;  // as in the line, with its escapes
  std::string_view key;
  std::optional<double> value;  // nothing: text
};

// Views point into the line or into `unescaped`, so a Point must not be copied. Reused from line to
// line.
struct Point {
  std::string_view measurement;
  std::vector<std::pair<std::string_view, std::string_view>> tags;  // names and values
  std::vector<Field> fields;
  std::optional<int64_t> time;  // in the request's unit
  std::string unescaped;

  // Forgets the last line, and makes room for one of this size.
  void Begin(size_t line_bytes);

  Point() = default;
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;
};

// Takes a line with its end from the front of `rest`, and adds the line ends to `line_count`, since
// quoted text may contain some. The result has no blanks around it; it is empty for blank lines and
// comments. Precondition: `rest` is not empty.
std::string_view TakeLine(std::string_view& rest, size_t& line_count);

// Takes the measurement and the tags, as written, from the front of a line from TakeLine().
// Precondition: `line` is not empty.
std::string_view TakeHead(std::string_view& line);

// Parse the two parts of a line into a point that was begun; the order does not matter.
// kInvalidArgument, with one clause.
absl::Status ParseHead(std::string_view head, Point& point);
absl::Status ParseFieldsAndTime(std::string_view rest, Point& point);

}  // namespace lockstep::influx
