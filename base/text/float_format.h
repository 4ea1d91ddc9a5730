// Numbers and times as Prometheus writes them.
//
// A sample's value in a vector or matrix result, a scalar's value, and numbers in messages each
// have their own format. All of them print the fewest digits that parse back to the same double.
// Source: prometheus/prometheus, util/jsonutil and promql/value.go; Go's strconv.FormatFloat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lockstep {

// A sample's value: plain notation for 0 and 1e-6 <= |x| < 1e21 ("1000000", "0.25"), otherwise with
// an exponent of at least two digits ("1e-07", "1e+21"); "NaN", "+Inf", "-Inf", "-0".
void AppendSampleValue(std::string& out, double value);
// Writes to `out`, which has room for the longest value; returns the end.
inline constexpr size_t kMaxSampleValueBytes = 32;
char* WriteSampleValue(char* out, double value);
std::string FormatSampleValue(double value);

// The same without an exponent: for scalar results, and for the label that count_values creates.
void AppendPlainValue(std::string& out, double value);
std::string FormatPlainValue(double value);

// Like Go's %g, for numbers in messages and a histogram's text: with an exponent below 1e-4 and
// from 1e+06 on.
void AppendShortValue(std::string& out, double value);
std::string FormatShortValue(double value);

// Milliseconds as seconds. A sample's time has either no decimals or exactly three ("1.500"); the
// time of a scalar or string result has as few as possible ("1.5").
void AppendTimestamp(std::string& out, int64_t timestamp_ms);
inline constexpr size_t kMaxTimestampBytes = 24;
char* WriteTimestamp(char* out, int64_t timestamp_ms);
void AppendShortestTimestamp(std::string& out, int64_t timestamp_ms);

}  // namespace lockstep
