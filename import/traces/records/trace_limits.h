// Limits for training artefacts. Everything that grows with a file has one.
#pragma once

#include <cstddef>

namespace lockstep::traces {

// TensorBoard. Records with images or graphs are longer, and are skipped without buffering.
inline constexpr size_t kMaxEventRecordBytes = 16 << 20;
// Distinct tags in one file; a model's parameter norms, one tag each, are a few thousand.
inline constexpr size_t kMaxTags = 64 << 10;
inline constexpr size_t kMaxTagBytes = 1024;

// Profiler traces. An event has 200 to 2000 bytes; a long one lists the ranks of a large process
// group.
inline constexpr size_t kMaxTraceEventBytes = 1 << 20;
// The document's other members; the list of process groups is the longest.
inline constexpr size_t kMaxTraceMemberBytes = 16 << 20;
// Memory: 32 bytes per GPU event, 16 per launch. A gigabyte of trace has about a million of each.
inline constexpr size_t kMaxDeviceEvents = 8 << 20;
inline constexpr size_t kMaxLaunches = 16 << 20;
inline constexpr size_t kMaxAnnotations = 1 << 20;
inline constexpr size_t kMaxProfiledSteps = 10'000;
// A process usually drives one GPU.
inline constexpr size_t kMaxTraceDevices = 64;
// Distinct names of kernels, and of collectives with their groups; further ones count as "other".
inline constexpr size_t kMaxKernelNames = 64 << 10;
inline constexpr size_t kMaxCollectives = 1024;
// Template arguments make names of kilobytes; names equal up to here count as one kernel.
inline constexpr size_t kMaxKernelNameBytes = 256;
// Kernels reported by name, per device.
inline constexpr size_t kTopKernels = 20;
// Per device, the longest ones.
inline constexpr size_t kMaxListedGaps = 1000;

// nsys tables. A row contains a kernel name, whose template arguments can be long.
inline constexpr size_t kMaxTableRowBytes = 256 << 10;
inline constexpr size_t kMaxTableColumns = 64;
// Rows with a start are kept until all are read, and become up to three records each.
inline constexpr size_t kMaxLocatedRows = 128 << 10;
inline constexpr size_t kMaxLocatedSeries = 4096;
inline constexpr double kMaxRecordingSeconds = 7.0 * 86'400;
inline constexpr double kMaxRank = 9'999'999;
// Unsupported tables that are reported by name.
inline constexpr size_t kMaxUnknownTables = 16;
inline constexpr size_t kMaxUnknownTableBytes = 256;

}  // namespace lockstep::traces
