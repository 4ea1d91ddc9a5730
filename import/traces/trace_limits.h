// Limits of what is read from training artefacts. Everything that grows with a file has one.
#pragma once

#include <cstddef>

namespace lockstep::traces {

// TensorBoard. Records with images or graphs are longer, and skipped without being held.
inline constexpr size_t kMaxEventRecordBytes = 16 << 20;
// Different tags in one file; a model's parameter norms, one tag each, are a few thousand.
inline constexpr size_t kMaxTags = 64 << 10;
inline constexpr size_t kMaxTagBytes = 1024;

// Profiler traces. One event has 200 to 2000 bytes; a long one lists the ranks of a large process group.
inline constexpr size_t kMaxTraceEventBytes = 1 << 20;
// Of the document's other members; the list of process groups is the longest of them.
inline constexpr size_t kMaxTraceMemberBytes = 16 << 20;
// What is held of a trace: 32 bytes an event of the GPU, 16 a call that launched one. A gigabyte of trace has about
// a million of both.
inline constexpr size_t kMaxDeviceEvents = 8 << 20;
inline constexpr size_t kMaxLaunches = 16 << 20;
inline constexpr size_t kMaxAnnotations = 1 << 20;
inline constexpr size_t kMaxProfiledSteps = 10'000;
// A process drives one GPU as a rule.
inline constexpr size_t kMaxTraceDevices = 64;
// Different names of kernels, of collectives with their groups; what comes after counts as "other".
inline constexpr size_t kMaxKernelNames = 64 << 10;
inline constexpr size_t kMaxCollectives = 1024;
// Template arguments make names of kilobytes; what is alike up to here is one kernel.
inline constexpr size_t kMaxKernelNameBytes = 256;
// What is told of kernels by name, of each device.
inline constexpr size_t kTopKernels = 20;
// Of each device, the longest ones.
inline constexpr size_t kMaxListedGaps = 1000;

// Tables of nsys. A row is a kernel with its name, whose template arguments can be long.
inline constexpr size_t kMaxTableRowBytes = 256 << 10;
inline constexpr size_t kMaxTableColumns = 64;
// Rows with a start are kept until all are there, and become up to three records each.
inline constexpr size_t kMaxLocatedRows = 128 << 10;
inline constexpr size_t kMaxLocatedSeries = 4096;
inline constexpr double kMaxRecordingSeconds = 7.0 * 86'400;
inline constexpr double kMaxRank = 9'999'999;
// Tables that are not read are named.
inline constexpr size_t kMaxUnknownTables = 16;
inline constexpr size_t kMaxUnknownTableBytes = 256;

}  // namespace lockstep::traces
