// Every supported report, with nsys's column headings and simple numbers.

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "import/traces/nsys/nsys_stats.h"
#include "import/traces/nsys/nsys_tables.h"
#include "import/traces/records/traces_testing.h"

namespace lockstep::traces {
namespace {

// "metric{label=value,...} value", plus time since the begin, rank and step if present.
std::string DescribeReport(std::string_view file) {
  NsysStatsReader reader;
  std::vector<TraceRecord> records;
  reader.Feed(file, records);
  reader.Finish(records);
  std::string text = reader.problems().ToString();
  for (const TraceRecord& record : records) {
    text += record.metric + "{";
    for (const TraceLabel& label : record.labels) text += label.name + "=" + label.value + ",";
    if (text.back() == ',') text.pop_back();
    absl::StrAppendFormat(&text, "} %.9g", record.value);
    if (record.since_begin_ms.has_value())
      absl::StrAppendFormat(&text, " @%d", *record.since_begin_ms);
    if (record.rank.has_value()) absl::StrAppendFormat(&text, " rank %d", *record.rank);
    if (record.step.has_value()) absl::StrAppendFormat(&text, " step %d", *record.step);
    text += "\n";
  }
  for (const std::string& table : reader.unknown_tables()) text += "unknown: " + table + "\n";
  if (reader.merged_instances() > 0) {
    absl::StrAppendFormat(&text, "merged: %d\n", reader.merged_instances());
  }
  return text;
}

void CheckReport(std::string_view file, std::string_view expected) {
  EXPECT_EQ(DescribeReport(file), expected);
}

TEST(NsysReportsTest, SumsOfRangesOnTheDevice) {
  CheckReport(
      "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),"
      "Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,"
      "Avg Range Lvl,Avg Num Child\n"
      ":Forward "
      "Pass,PushPop,4000000,1000000,2,2000000,2000000,1000000,3000000,1000000,10,5.0,0.0,1.0\n",
      "nsys_range_gpu_seconds{range=Forward Pass,phase=forward,style=PushPop,stat=total} 0.004\n"
      "nsys_range_gpu_host_seconds{range=Forward Pass,phase=forward,style=PushPop,stat=total} "
      "0.001\n"
      "nsys_range_gpu_count{range=Forward Pass,phase=forward,style=PushPop} 2\n"
      "nsys_range_gpu_seconds{range=Forward Pass,phase=forward,style=PushPop,stat=avg} 0.002\n"
      "nsys_range_gpu_seconds{range=Forward Pass,phase=forward,style=PushPop,stat=med} 0.002\n"
      "nsys_range_gpu_seconds{range=Forward Pass,phase=forward,style=PushPop,stat=min} 0.001\n"
      "nsys_range_gpu_seconds{range=Forward Pass,phase=forward,style=PushPop,stat=max} 0.003\n"
      "nsys_range_gpu_seconds{range=Forward Pass,phase=forward,style=PushPop,stat=stddev} 0.001\n"
      "nsys_range_gpu_operations{range=Forward Pass,phase=forward,style=PushPop,stat=total} 10\n"
      "nsys_range_gpu_operations{range=Forward Pass,phase=forward,style=PushPop,stat=avg} 5\n");
}

TEST(NsysReportsTest, UnifiedMemory) {
  CheckReport(
      "Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,"
      "Total GPU PageFaults,Minimum Virtual Address,Maximum Virtual Address\n"
      "3.5,1.25,15360,38007,0x7F9C80000000,0x7F9D7FF83000\n",
      "nsys_um_migrated_bytes{direction=h2d} 3500000\n"
      "nsys_um_migrated_bytes{direction=d2h} 1250000\n"
      "nsys_um_page_faults{side=host} 15360\n"
      "nsys_um_page_faults{side=device} 38007\n");
  CheckReport(
      "Virtual Address,HtoD Migration Size (MB),DtoH Migration Size (MB),CPU Page Faults,"
      "GPU PageFaults,Migration Throughput (MB/s)\n"
      "0x7F9C80000000,2,,7,9,1000\n",
      "nsys_um_address_migrated_bytes{address=0x7F9C80000000,direction=h2d} 2000000\n"
      "nsys_um_address_page_faults{address=0x7F9C80000000,side=host} 7\n"
      "nsys_um_address_page_faults{address=0x7F9C80000000,side=device} 9\n");
  CheckReport("CPU Page Faults,CPU Instruction Address\n12,0x55d0\n",
              "nsys_um_instruction_page_faults{address=0x55d0,side=host} 12\n");
}

TEST(NsysReportsTest, CommunicationByMpi) {
  CheckReport(
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
      "(ns),Source,Name\n"
      "60.0,6000,3,2000,2000,1000,3000,1000,coll,MPI_Allreduce\n",
      "nsys_mpi_time_ratio{source=coll,event=MPI_Allreduce} 0.6\n"
      "nsys_mpi_seconds{source=coll,event=MPI_Allreduce,stat=total} 6e-06\n"
      "nsys_mpi_count{source=coll,event=MPI_Allreduce} 3\n"
      "nsys_mpi_seconds{source=coll,event=MPI_Allreduce,stat=avg} 2e-06\n"
      "nsys_mpi_seconds{source=coll,event=MPI_Allreduce,stat=med} 2e-06\n"
      "nsys_mpi_seconds{source=coll,event=MPI_Allreduce,stat=min} 1e-06\n"
      "nsys_mpi_seconds{source=coll,event=MPI_Allreduce,stat=max} 3e-06\n"
      "nsys_mpi_seconds{source=coll,event=MPI_Allreduce,stat=stddev} 1e-06\n");
  CheckReport("Total Message Volume,Instances,Avg,Source,Name\n4096,2,2048,coll_send,MPI_Bcast\n",
              "nsys_mpi_message_bytes{source=coll_send,event=MPI_Bcast,stat=total} 4096\n"
              "nsys_mpi_message_count{source=coll_send,event=MPI_Bcast} 2\n"
              "nsys_mpi_message_bytes{source=coll_send,event=MPI_Bcast,stat=avg} 2048\n");
}

TEST(NsysReportsTest, LaunchesAndKernelsOfRanges) {
  CheckReport(
      "PID,TID,DevId,Count,QCount,TAvg (ns),AAvg (ns),QAvg (ns),KAvg (ns),API Name,Kernel Name\n"
      "1,2,0,4,3,9000,1000,5000,3000,cudaLaunchKernel,gemm\n",
      "nsys_launch_count{thread=2,device=0,call=cudaLaunchKernel,kernel=gemm,class=gemm} 4\n"
      "nsys_launch_queued_count{thread=2,device=0,call=cudaLaunchKernel,kernel=gemm,class=gemm} 3\n"
      "nsys_launch_seconds{thread=2,device=0,call=cudaLaunchKernel,kernel=gemm,class=gemm,stat=avg}"
      " 9e-06\n"
      "nsys_launch_call_seconds{thread=2,device=0,call=cudaLaunchKernel,kernel=gemm,class=gemm,"
      "stat=avg} "
      "1e-06\n"
      "nsys_launch_queue_seconds{thread=2,device=0,call=cudaLaunchKernel,kernel=gemm,class=gemm,"
      "stat=avg} "
      "5e-06\n"
      "nsys_launch_kernel_seconds{thread=2,device=0,call=cudaLaunchKernel,kernel=gemm,class=gemm,"
      "stat=avg} "
      "3e-06\n");
  CheckReport(
      "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Kernel Name\n"
      ":Backward,PushPop,1,2,1,5,7000,gemm\n",
      "nsys_range_kernel_count{range=Backward,phase=backward,style=PushPop,thread=2,kernel=gemm,"
      "class=gemm} "
      "5\n"
      "nsys_range_kernel_seconds{range=Backward,phase=backward,style=PushPop,thread=2,kernel=gemm,"
      "class=gemm,"
      "stat=total} 7e-06\n");
}

// Tables of rules are sorted by duration; records by time.
TEST(NsysReportsTest, WhatRulesFind) {
  CheckReport(
      "Duration (ns),Start (ns),Src Kind,Dst Kind,Bytes (MB),PID,Device ID,Context ID,Green "
      "Context ID,"
      "Stream ID,API Name\n"
      "1008390,360484139,Device,Pageable,4.194,9,0,1,,7,cudaMemcpy_v3020\n"
      "577585,357164672,Pageable,Device,4.194,9,0,1,,7,cudaMemcpy_v3020\n"
      "600000,350000000,Device,Pageable,1,9,0,1,,7,cudaMemcpy_v3020\n",
      "nsys_memcpy_hit_seconds{source=Device,destination=Pageable,device=0,call=cudaMemcpy_v3020} "
      "0.0006 @350\n"
      "nsys_memcpy_hit_bytes{source=Device,destination=Pageable,device=0,call=cudaMemcpy_v3020} "
      "1000000 @350\n"
      "nsys_memcpy_hit_seconds{source=Device,destination=Pageable,device=0,call=cudaMemcpy_v3020} "
      "0.00100839 "
      "@360\n"
      "nsys_memcpy_hit_bytes{source=Device,destination=Pageable,device=0,call=cudaMemcpy_v3020} "
      "4194000 @360\n"
      "nsys_memcpy_hit_seconds{source=Pageable,destination=Device,device=0,call=cudaMemcpy_v3020} "
      "0.000577585 "
      "@357\n"
      "nsys_memcpy_hit_bytes{source=Pageable,destination=Device,device=0,call=cudaMemcpy_v3020} "
      "4194000 @357\n");
  CheckReport(
      "Duration (ns),Start (ns),Memory Kind,Bytes (MB),PID,Device ID,Context ID,Stream ID,API "
      "Name\n"
      "2000,1000000,Pinned,0.5,9,0,1,7,cudaMemset_v3020\n",
      "nsys_memset_hit_seconds{memory=Pinned,device=0,call=cudaMemset_v3020} 2e-06 @1\n"
      "nsys_memset_hit_bytes{memory=Pinned,device=0,call=cudaMemset_v3020} 500000 @1\n");
  CheckReport(
      "Duration (ns),Start (ns),PID,TID,API Name\n"
      "2645612,357826729,9,9,cudaDeviceSynchronize_v3020\n",
      "nsys_sync_hit_seconds{thread=9,call=cudaDeviceSynchronize_v3020} 0.002645612 @357\n");
  // Two within a millisecond.
  CheckReport(
      "Duration (ns),Start (ns),PID,TID,API Name\n"
      "2000,1000000,9,9,cudaStreamSynchronize\n1000,1500000,9,9,cudaStreamSynchronize\n",
      "nsys_sync_hit_seconds{thread=9,call=cudaStreamSynchronize} 3e-06 @1\n");
  CheckReport(
      "Row#,Duration (ns),Start (ns),PID,Device ID,Context ID\n1,600000000,2000000000,9,3,1\n",
      "nsys_gpu_gap_seconds{device=3} 0.6 @2000\n");
  CheckReport(
      "Row#,In-Use (%),Duration (ns),Start (ns),PID,Device ID,Context "
      "ID\n1,40.9,169086,356927235,9,0,1\n",
      "nsys_gpu_low_use_seconds{device=0} 0.000169086 @356\n"
      "nsys_gpu_low_use_busy_ratio{device=0} 0.409 @356\n");
}

// The second of two within a millisecond has no time of its own; the number of the third reveals
// it.
TEST(NsysReportsTest, PaceOfRangesAndKernels) {
  CheckReport(
      "Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name\n"
      "1000000,4000,1,H200 (0),1,7,ncclDevKernel_AllReduce\n"
      "1100000,4000,2,H200 (0),1,7,ncclDevKernel_AllReduce\n"
      "3000000,4000,3,H200 (0),1,7,ncclDevKernel_AllReduce\n",
      "nsys_pace_instance{kernel=ncclDevKernel_AllReduce,class=communication} 0 @1\n"
      "nsys_pace_start_seconds{kernel=ncclDevKernel_AllReduce,class=communication} 0.001 @1\n"
      "nsys_pace_seconds{kernel=ncclDevKernel_AllReduce,class=communication} 4e-06 @1\n"
      "nsys_pace_instance{kernel=ncclDevKernel_AllReduce,class=communication} 2 @3\n"
      "nsys_pace_start_seconds{kernel=ncclDevKernel_AllReduce,class=communication} 0.003 @3\n"
      "nsys_pace_seconds{kernel=ncclDevKernel_AllReduce,class=communication} 4e-06 @3\n"
      "merged: 1\n");
  CheckReport(
      "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration "
      "(ns),Style,PID,TID,"
      "NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack\n"
      "step_4,10000000,5000000,8000000,1,PushPop,1,1,9,0,0,1,,:1\n"
      "idle,,,8000000,1,PushPop,1,1,0,0,0,1,,:1\n",
      "nsys_pace_instance{range=step,side=device} 0 @10\n"
      "nsys_pace_start_seconds{range=step,side=device} 0.01 @10\n"
      "nsys_pace_seconds{range=step,side=device} 0.005 @10\n");
}

TEST(NsysReportsTest, RangesOfStepsAreSteps) {
  CheckReport(
      "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild "
      "(ns),Name,PID,TID,Lvl,NumChild,RangeId,"
      "ParentId,RangeStack,NameTree\n"
      "1000000000,1200000000,200000000,0,0,:train_step_7,1,1,0,0,1,,:1,train_step_7\n"
      "1200000000,1450000000,250000000,0,0,:train_step_8,1,1,0,0,2,,:2,train_step_8\n",
      "train_step_time_seconds{} 0.2 @1200 step 7\n"
      "train_step_time_seconds{} 0.25 @1450 step 8\n"
      "nsys_pace_instance{range=train_step,side=host} 0 @1000\n"
      "nsys_pace_start_seconds{range=train_step,side=host} 1 @1000\n"
      "nsys_pace_seconds{range=train_step,side=host} 0.2 @1000\n"
      "nsys_pace_instance{range=train_step,side=host} 1 @1200\n"
      "nsys_pace_start_seconds{range=train_step,side=host} 1.2 @1200\n"
      "nsys_pace_seconds{range=train_step,side=host} 0.25 @1200\n");
}

TEST(NsysReportsTest, RecipesSayTheRank) {
  CheckReport(
      "Name,Time,Total Time,Instances,Avg,Q1,Med,Q3,Min,Max,StdDev,Rank\n"
      "ncclDevKernel_AllReduce,10.0,4000,2,2000,1500,2000,2500,1000,3000,1000,5\n",
      "nsys_kernel_time_ratio{kernel=ncclDevKernel_AllReduce,class=communication} 0.1 rank 5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=total} 4e-06 "
      "rank 5\n"
      "nsys_kernel_count{kernel=ncclDevKernel_AllReduce,class=communication} 2 rank 5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=avg} 2e-06 rank "
      "5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=q1} 1.5e-06 "
      "rank 5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=med} 2e-06 rank "
      "5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=q3} 2.5e-06 "
      "rank 5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=min} 1e-06 rank "
      "5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=max} 3e-06 rank "
      "5\n"
      "nsys_kernel_seconds{kernel=ncclDevKernel_AllReduce,class=communication,stat=stddev} 1e-06 "
      "rank 5\n");
}

TEST(NsysReportsTest, NamesWhatIsNotRead) {
  CheckReport(
      "Processing [a.sqlite] with [/opt/nsys/reports/vulkan_api_trace.py]...\n\n"
      " ** Vulkan API Trace (vulkan_api_trace):\n\n"
      "Start (ns),Name,Event Class\n1,2,3\n\n"
      "CPU Page Faults,CPU Instruction Address\n1,0x1\n",
      "nsys_um_instruction_page_faults{address=0x1,side=host} 1\n"
      "unknown: vulkan_api_trace (Start (ns), Name, Event Class)\n");
  EXPECT_EQ(NsysReportOf("[4/8] Executing 'osrt_sum' stats report"), "osrt_sum");
  EXPECT_EQ(NsysReportOf("Processing [a.sqlite] with [um_sum.py]... "), "um_sum");
  EXPECT_EQ(NsysReportOf("SKIPPED: a.sqlite does not contain CUDA data."), "");
}

TEST(NsysReportsTest, TimesAreThoseOfARecording) {
  CheckReport("Row#,Duration (ns),Start (ns),Device ID\n1,5,-1,0\n2,5,1e30,0\n3,nan,5,0\n",
              "3 x time outside the recording (first at byte 40)");
}

}  // namespace
}  // namespace lockstep::traces
