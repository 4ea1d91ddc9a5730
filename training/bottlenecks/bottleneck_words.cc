#include "training/bottlenecks/bottlenecks.h"

namespace lockstep::training {

std::string_view Name(BottleneckClass bottleneck) {
  switch (bottleneck) {
    case BottleneckClass::kIdle:
      return "idle";
    case BottleneckClass::kInputBound:
      return "input_bound";
    case BottleneckClass::kFakeLoad:
      return "fake_load";
    case BottleneckClass::kWaiting:
      return "waiting";
    case BottleneckClass::kCommunicationBound:
      return "communication_bound";
    case BottleneckClass::kMemoryBound:
      return "memory_bound";
    case BottleneckClass::kLatencyBound:
      return "latency_bound";
    case BottleneckClass::kComputeBound:
      return "compute_bound";
    case BottleneckClass::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view Advice(BottleneckClass bottleneck) {
  switch (bottleneck) {
    case BottleneckClass::kIdle:
      return "Nothing is running. If the job is still alive, look for a hang or a long pause; "
             "otherwise free the GPU.";
    case BottleneckClass::kInputBound:
      return "The GPU waits for its host. Try more loader workers, pinned memory, prefetching, "
             "decoding on the GPU (DALI), data closer to the node, or asynchronous copies. If the "
             "loader is fast, capture launches in CUDA graphs or compile the model.";
    case BottleneckClass::kLatencyBound:
      return "Threads wait for dependent or scattered memory accesses. Sort or batch the accesses, "
             "use more threads, prefetch, or keep hot rows together.";
    case BottleneckClass::kFakeLoad:
      return "Kernels are resident, but the SMs do almost nothing: the kernels are tiny, or a "
             "process is spinning. Fuse kernels or raise the batch size. GPU utilization does not "
             "show this.";
    case BottleneckClass::kWaiting:
      return "The GPU spins in a collective while no data is exchanged: another rank is late or "
             "hung. Check for stragglers.";
    case BottleneckClass::kCommunicationBound:
      return "Communication takes most of the time. Overlap it with the backward pass (buckets, "
             "prefetch), accumulate gradients over more micro-batches, shard within the node, and "
             "check that links and NICs reach their rated speed.";
    case BottleneckClass::kMemoryBound:
      return "Memory bandwidth is the limit. Fuse kernels (attention, norms, optimizer), raise the "
             "batch size so that weights are reused more, or store activations and caches in fewer "
             "bits.";
    case BottleneckClass::kComputeBound:
      return "Arithmetic is the limit, as it should be. To go faster, use lower precision (bf16, "
             "fp8), sizes that are multiples of 8 or 16 for the tensor cores, or less "
             "recomputation.";
    case BottleneckClass::kUnknown:
      break;
  }
  return "The deciding counters are missing, or they match no known kind of work.";
}

std::string_view Name(HostCause cause) {
  switch (cause) {
    case HostCause::kData:
      return "data";
    case HostCause::kCopies:
      return "copies";
    case HostCause::kLaunches:
      return "launches";
    case HostCause::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view Name(BottleneckFlag flag) {
  switch (flag) {
    case BottleneckFlag::kThrottled:
      return "throttled";
    case BottleneckFlag::kPowerBraked:
      return "power_braked";
    case BottleneckFlag::kPowerCapped:
      return "power_capped";
    case BottleneckFlag::kHot:
      return "hot";
    case BottleneckFlag::kUnhealthy:
      return "unhealthy";
    case BottleneckFlag::kMemoryNearlyFull:
      return "memory_nearly_full";
    case BottleneckFlag::kLowOccupancy:
      return "low_occupancy";
    case BottleneckFlag::kNoTensorCores:
      return "no_tensor_cores";
    case BottleneckFlag::kFewTensorCores:
      break;
  }
  return "few_tensor_cores";
}

std::string_view Advice(BottleneckFlag flag) {
  switch (flag) {
    case BottleneckFlag::kThrottled:
      return "Heat lowers the clocks: check the cooling, and neighbours in the same airflow.";
    case BottleneckFlag::kPowerBraked:
      return "The board or the power supply forces the clocks down: check the power shelf and "
             "cables.";
    case BottleneckFlag::kPowerCapped:
      return "At its power limit, as usual in training; a higher limit allows higher clocks.";
    case BottleneckFlag::kHot:
      return "Close to its thermal limit.";
    case BottleneckFlag::kUnhealthy:
      return "Uncorrectable memory errors or a failed row remapping: drain the node.";
    case BottleneckFlag::kMemoryNearlyFull:
      return "Device memory is nearly full: the next peak may fail to allocate.";
    case BottleneckFlag::kLowOccupancy:
      return "Few warps per SM: small kernels, or large ones that need many registers. Healthy "
             "training shows 0.25.";
    case BottleneckFlag::kNoTensorCores:
      return "Tensor cores are idle while SMs work: turn on mixed precision.";
    case BottleneckFlag::kFewTensorCores:
      break;
  }
  return "Tensor cores are mostly idle: small matrix products, or sizes that are not multiples of "
         "8.";
}

}  // namespace lockstep::training
