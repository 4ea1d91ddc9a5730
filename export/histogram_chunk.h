// Native histograms with the same layout in Prometheus' float histogram chunk encoding.
//
//   count: 2 bytes | flags: 1 byte | layout | first sample | sample ...
//
//   flags    0x80 the first one is a counter reset, 0xc0 gauges, 0 unknown
//   layout   zero threshold | schema: varbit | positive spans | negative spans | bounds, if custom
//   spans    number: varbit | length: varbit, offset: varbit | ...
//   sample   time | count | zero count | sum | positive buckets ... | negative buckets ...
//
// The first sample has its time as a varbit and 64 bits for each number. In the others, the time is
// the delta of the delta as a varbit (the first delta is relative to 0), and each number is XORed
// with the previous one. A reader treats all samples after the first as continuations without a
// counter reset.
// Source: Prometheus, tsdb/chunkenc/float_histogram.go and histogram_meta.go.
#pragma once

#include <span>
#include <string>

#include "model/sample.h"

namespace lockstep {

// Whether `next` may follow `previous` in one chunk: they have the same layout, there is no counter
// reset between them, and neither is a stale marker.
bool FitsSameChunk(const Histogram& previous, const Histogram& next);

// Appends one chunk. Precondition: from 1 to 65,535 samples; times ascend, and each sample may
// follow the previous one.
void AppendHistogramChunk(std::span<const HistogramSample> samples, std::string& out);

}  // namespace lockstep
