#include "training/bottlenecks.h"

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
      return "Nothing runs. If the job goes on, look for a hang or a long pause; if not, free the "
             "GPU.";
    case BottleneckClass::kInputBound:
      return "The GPU waits for its host. More loader workers, pinned memory, prefetching, "
             "decoding on "
             "the GPU (DALI), data nearer to the node; copies in the background. If the loader is "
             "quick, capture launches in CUDA graphs or compile the model.";
    case BottleneckClass::kLatencyBound:
      return "Threads wait for single memory accesses that depend on each other or are scattered. "
             "Sort or batch the accesses, use more threads, prefetch, keep hot rows together.";
    case BottleneckClass::kFakeLoad:
      return "Kernels are resident, and their SMs do nothing: launches of tiny kernels, or a "
             "spinning "
             "process. Fuse kernels or raise the batch size; GPU utilization shows nothing of "
             "this.";
    case BottleneckClass::kWaiting:
      return "The GPU spins in a collective while nothing is exchanged: another rank is late or "
             "hangs. "
             "Ask for stragglers.";
    case BottleneckClass::kCommunicationBound:
      return "Exchanging takes the time. Overlap it with the backward pass (buckets, prefetch), "
             "accumulate gradients over more micro batches, shard within the node, and check that "
             "links and NICs give what they should.";
    case BottleneckClass::kMemoryBound:
      return "Memory bandwidth is the limit. Fuse kernels (attention, norms, optimizer), raise the "
             "batch "
             "size so that weights are used more often, keep activations and caches in fewer bits.";
    case BottleneckClass::kComputeBound:
      return "The math is the limit, as it should be. Fewer bits (bf16, fp8), sizes that are "
             "multiples "
             "of 8 or 16 for the tensor cores, less recomputation.";
    case BottleneckClass::kUnknown:
      break;
  }
  return "Counters are missing that would tell, or they match no kind of work that is known.";
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
      return "Clocks are lowered by heat: look at cooling, and at neighbours in the same air.";
    case BottleneckFlag::kPowerBraked:
      return "Board or power supply force clocks down: look at the power shelf and cables.";
    case BottleneckFlag::kPowerCapped:
      return "At its power limit, as usual in training; a higher limit means higher clocks.";
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
      return "Tensor cores rest while SMs work: switch mixed precision on.";
    case BottleneckFlag::kFewTensorCores:
      break;
  }
  return "Tensor cores work little: sizes that are no multiples of 8, or small matrix products.";
}

}  // namespace lockstep::training
