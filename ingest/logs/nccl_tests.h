// What the programs of nccl-tests and rccl-tests print: all_reduce_perf and its kind, a table of message sizes.
//
//   # Collective test starting: all_reduce_perf
//   #  Rank  0 Group  0 Pid  15784 on  node0 device  0 [0009:01:00] NVIDIA GH200 120GB
//   #       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
//        1048576        262144     float     sum      -1   339.61    3.09    3.09       0   335.85    3.12    3.12       0
//
// The first four of the numbers are out of place, the others in place. Source: NVIDIA/nccl-tests, src/common.cu.
#pragma once

#include <memory>
#include <string_view>

#include "ingest/logs/log_format.h"

namespace lockstep::logs {

std::unique_ptr<LogFormat> NewNcclTests();
bool IsNcclTests(std::string_view line);

}  // namespace lockstep::logs
