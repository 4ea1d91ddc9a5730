// HistogramChunk: native histograms of one layout in Prometheus' float histogram chunk encoding.
//
//   count: 2 bytes | flags: 1 byte | layout | first sample | sample ...
//
//   flags    0x80 the first one is a counter reset, 0xc0 gauges, 0 nothing known
//   layout   zero threshold | schema: varbit | positive spans | negative spans | bounds, if custom
//   spans    how many: varbit | length: varbit, offset: varbit | ...
//   sample   time | count | zero count | sum | positive buckets ... | negative buckets ...
//
// The first sample is its time as varbit and 64 bits for each number; of the others the time is the delta of
// the delta as varbit (the first delta counts as one to 0), and each number is the xor to the one before.
// A reader takes every sample behind the first for no counter reset.
// Source: Prometheus, tsdb/chunkenc/float_histogram.go and histogram_meta.go.
#pragma once

#include <span>
#include <string>

#include "model/sample.h"

namespace lockstep {

// Whether `next` may stand behind `previous` in one chunk: the same layout, no counter reset between
// them, neither of them a stale marker.
bool FitsSameChunk(const Histogram& previous, const Histogram& next);

// Appends one chunk. Precondition: at least one sample, at most 65,535; times ascend, and each fits
// behind the one before.
void AppendHistogramChunk(std::span<const HistogramSample> samples, std::string& out);

}  // namespace lockstep
