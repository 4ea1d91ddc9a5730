// The decision tree. Each threshold lies between recorded loads of different classes;
// docs/training-answers.md lists the margins.
#include <algorithm>
#include <cmath>

#include "training/bottlenecks/bottlenecks.h"

namespace lockstep::training {
namespace {

constexpr double kFakeSm = 0.05;  // tiny kernels .009, collectives .17
// A collective's own kernel occupies the SMs of its channels and none of the tensor cores.
constexpr double kCollectiveSm = 0.3;
constexpr double kCollectiveTensor = 0.02;
constexpr double kRestingDram = 0.05;  // spinning 0, exchanging .22
constexpr double kLinkShare = 0.22;    // of one direction; small batches .15, pure collectives .74
constexpr double kLinkTensor = 0.1;

// The following are shares of the time in which the engine is busy.
constexpr double kBusyDram = 0.5;       // convolutions .47, the mildest memory-bound load .56
constexpr double kDramOverPipes = 1.5;  // small-batch training 1.26, the same load 2.1
constexpr double kFullDram = 0.88;      // what a streaming kernel reaches
// The busiest arithmetic pipe. Small-batch training reaches .26; loads that stream weights at most
// .1.
constexpr double kBusyPipe = 0.1;
// Without arithmetic, this much memory traffic is the work itself, such as gathering rows in order.
// Scattered rows and pointer chasing reach only .04 to .24.
constexpr double kMostlyDram = 0.3;
// Less than this is not memory work: a spinning kernel has 0.
constexpr double kTouchesDram = 0.02;
// Shares of the power limit. An H200 idles at .18, spins at .19, draws .38 when chasing pointers,
// and .9 with arithmetic on every SM, whichever pipe runs it.
constexpr double kWorkingPower = 0.5;  // pointer chasing .40, integers in registers .63
constexpr double kRestingPower = 0.3;
// Memory traffic draws power too: scattered rows at .24 of the bandwidth draw .79.
constexpr double kLittleDram = 0.1;
constexpr double kWorkingPowerBesideDram = 0.7;
// For devices without pipe counters: a device at its power limit is working.
constexpr double kFullPower = 0.9;

// A host link carries 25 to 60 times this; batches of training data need a tenth.
constexpr double kHostCopyBytesPerS = 1e9;
// SM share while the engine is busy: kernels of real layers fill .8 of the SMs, tiny ones .15.
constexpr double kTinyKernels = 0.4;

// Compares values with thresholds on the way to a class and records the smallest margin.
class Questions {
 public:
  bool IsBelow(double value, double threshold) {
    Note(value, threshold);
    return value < threshold;
  }
  bool IsAbove(double value, double threshold) {
    Note(value, threshold);
    return value > threshold;
  }

  Classified Answer(BottleneckClass bottleneck) const {
    return {.bottleneck = bottleneck, .margin = margin_};
  }

 private:
  void Note(double value, double threshold) {
    if (std::isnan(value)) return;
    const double distance = std::abs(value - threshold) / threshold;
    if (!(margin_ <= distance)) margin_ = distance;
  }

  double margin_ = kUnknown;
};

bool IsCollective(const DeviceWindow& window) {
  return window.has_peers && window.sm < kCollectiveSm && !(window.tensor >= kCollectiveTensor);
}

bool ExchangesMuch(const DeviceWindow& window) {
  return window.nvlink_received > kLinkShare * window.link_bytes_per_s &&
         window.tensor < kLinkTensor;
}

bool CopiesMuch(const DeviceWindow& window) {
  return window.pcie_received > kHostCopyBytesPerS || window.pcie_sent > kHostCopyBytesPerS;
}

// For a busy device that may be running a collective.
Classified ClassifyCollective(const DeviceWindow& window, Questions& questions) {
  if (!std::isnan(window.nvlink_received) && !std::isnan(window.link_bytes_per_s) &&
      questions.IsAbove(window.nvlink_received, kLinkShare * window.link_bytes_per_s)) {
    return questions.Answer(BottleneckClass::kCommunicationBound);
  }
  if (questions.IsBelow(window.dram, kRestingDram)) {
    return questions.Answer(BottleneckClass::kWaiting);
  }
  return questions.Answer(BottleneckClass::kCommunicationBound);
}

double BusiestPipe(const DeviceWindow& window) {
  double busiest = kUnknown;
  for (const double pipe : {window.tensor, window.fp64, window.fp32, window.fp16}) {
    if (!(busiest >= pipe) && !std::isnan(pipe)) busiest = pipe;
  }
  return busiest;
}

bool CountsAllPipes(const DeviceWindow& window) {
  return !std::isnan(window.fp64) && !std::isnan(window.fp32) && !std::isnan(window.tensor);
}

// No counted pipe does arithmetic, and memory is not busy. Power distinguishes waiting from work on
// pipes without counters (integers, or pipes that an exporter omits).
Classified ClassifyQuiet(const DeviceWindow& window, double dram, Questions& questions) {
  const double power = window.power_share;
  if (!questions.IsBelow(dram, kTouchesDram)) {
    const bool counts_all = CountsAllPipes(window);
    const double working = counts_all ? kWorkingPowerBesideDram : kFullPower;
    if ((!counts_all || dram < kLittleDram) && questions.IsAbove(power, working)) {
      return questions.Answer(BottleneckClass::kComputeBound);
    }
    // A pipe without a counter may be drawing the power.
    if (!counts_all && !(power < kWorkingPower)) return {};
    return questions.Answer(BottleneckClass::kLatencyBound);
  }
  if (questions.IsAbove(power, kWorkingPower)) {
    return questions.Answer(BottleneckClass::kComputeBound);
  }
  if (questions.IsBelow(power, kRestingPower)) {
    return questions.Answer(BottleneckClass::kFakeLoad);
  }
  return {};
}

Classified ClassifyWork(const DeviceWindow& window, Questions& questions) {
  const double dram = window.dram / window.engine;
  const double pipe = BusiestPipe(window) / window.engine;
  const double known_pipe = std::isnan(pipe) ? 0.0 : pipe;
  if (questions.IsAbove(dram, kBusyDram)) {
    if (known_pipe <= 0 || questions.IsAbove(dram / known_pipe, kDramOverPipes)) {
      return questions.Answer(BottleneckClass::kMemoryBound);
    }
    return questions.Answer(BottleneckClass::kComputeBound);
  }
  // Without a memory counter, memory may be busier than the pipe.
  if (std::isnan(dram) && !(pipe * kDramOverPipes > kFullDram)) return {};
  if (questions.IsAbove(pipe, kBusyPipe)) return questions.Answer(BottleneckClass::kComputeBound);
  const bool may_hide_a_pipe = !CountsAllPipes(window) && dram >= kMostlyDram;
  if (may_hide_a_pipe && questions.IsAbove(window.power_share, kFullPower)) {
    return questions.Answer(BottleneckClass::kComputeBound);
  }
  if (questions.IsAbove(dram, kMostlyDram)) {
    return questions.Answer(BottleneckClass::kMemoryBound);
  }
  return ClassifyQuiet(window, dram, questions);
}

// For a device that is idle much of the time while its job continues.
Classified ClassifyResting(const DeviceWindow& window, const Questions& questions) {
  Classified resting = questions.Answer(BottleneckClass::kInputBound);
  if (CopiesMuch(window)) {
    resting.host_cause = HostCause::kCopies;
  } else if (window.sm / window.engine < kTinyKernels) {
    resting.host_cause = HostCause::kLaunches;
  }
  return resting;
}

}  // namespace

bool IsWork(BottleneckClass bottleneck) {
  return bottleneck == BottleneckClass::kMemoryBound ||
         bottleneck == BottleneckClass::kLatencyBound ||
         bottleneck == BottleneckClass::kComputeBound;
}

Classified Classify(const DeviceWindow& window) {
  Questions questions;
  if (std::isnan(window.engine)) return {};
  if (questions.IsBelow(window.engine, kIdleEngineRatio)) {
    // Copies do not count as engine activity: a device fed by slow copies is not idle.
    if (CopiesMuch(window)) return ClassifyResting(window, questions);
    return questions.Answer(BottleneckClass::kIdle);
  }
  if (questions.IsBelow(window.engine, kBusyEngineRatio)) return ClassifyResting(window, questions);
  if (questions.IsBelow(window.sm, kFakeSm)) {
    return questions.Answer(BottleneckClass::kFakeLoad);
  }
  if (ExchangesMuch(window)) {
    questions.IsAbove(window.nvlink_received, kLinkShare * window.link_bytes_per_s);
    return questions.Answer(BottleneckClass::kCommunicationBound);
  }
  if (IsCollective(window)) return ClassifyCollective(window, questions);
  return ClassifyWork(window, questions);
}

}  // namespace lockstep::training
