// The tree of questions. Thresholds lie between what eight kinds of load were recorded to do; the distance
// of each to its neighbours is in docs/training-answers.md.
#include <algorithm>
#include <cmath>

#include "training/bottlenecks.h"

namespace lockstep::training {
namespace {

constexpr double kBusyEngine = 0.6;  // input-bound .30...42, training .86 and more
constexpr double kFakeSm = 0.05;     // tiny kernels .009, collectives .17
// A collective's own kernel occupies the SMs of its channels and none of the tensor cores.
constexpr double kCollectiveSm = 0.3;
constexpr double kCollectiveTensor = 0.02;
constexpr double kRestingDram = 0.05;  // spinning 0, exchanging .22
constexpr double kLinkShare = 0.22;    // of one way; small batches .15, collectives alone .74
constexpr double kLinkTensor = 0.1;
constexpr double kBusyDram = 0.4;  // small-batch training .33, the mildest memory-bound load .56
constexpr double kDramOverTensor = 1.5;  // small-batch training 1.26, the same load 2.1

// The numbers asked on the way to a class, and the nearest to deciding otherwise.
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

  Classified Answer(BottleneckClass bottleneck) const { return {bottleneck, margin_}; }

 private:
  void Note(double value, double threshold) {
    if (std::isnan(value)) return;
    const double distance = std::abs(value - threshold) / threshold;
    if (!(margin_ <= distance)) margin_ = distance;
  }

  double margin_ = kUnknown;
};

bool IsCollective(const DeviceWindow& window) {
  return window.sm < kCollectiveSm && !(window.tensor >= kCollectiveTensor);
}

bool ExchangesMuch(const DeviceWindow& window) {
  return window.nvlink_received > kLinkShare * window.link_bytes_per_s &&
         window.tensor < kLinkTensor;
}

// Of a device that is busy and runs something that may be a collective.
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

Classified ClassifyWork(const DeviceWindow& window, Questions& questions) {
  if (std::isnan(window.dram)) return {};
  const double tensor = std::isnan(window.tensor) ? 0.0 : window.tensor;
  const bool is_dram_busy = questions.IsAbove(window.dram, kBusyDram);
  if (!is_dram_busy) return questions.Answer(BottleneckClass::kComputeBound);
  if (tensor <= 0 || questions.IsAbove(window.dram / tensor, kDramOverTensor)) {
    return questions.Answer(BottleneckClass::kMemoryBound);
  }
  return questions.Answer(BottleneckClass::kComputeBound);
}

}  // namespace

Classified Classify(const DeviceWindow& window) {
  Questions questions;
  if (std::isnan(window.engine)) return {};
  if (questions.IsBelow(window.engine, kIdleEngineRatio)) {
    return questions.Answer(BottleneckClass::kIdle);
  }
  if (questions.IsBelow(window.engine, kBusyEngine)) {
    return questions.Answer(BottleneckClass::kInputBound);
  }
  if (questions.IsBelow(window.sm, kFakeSm)) {
    return questions.Answer(BottleneckClass::kFakeLoad);
  }
  if (ExchangesMuch(window)) {
    questions.IsAbove(window.nvlink_received, kLinkShare * window.link_bytes_per_s);
    return questions.Answer(BottleneckClass::kCommunicationBound);
  }
  if (IsCollective(window)) return ClassifyCollective(window, questions);
  // Without SM_ACTIVE, spinning and tiny kernels look alike: neither tensor cores nor memory work.
  const bool is_unseen =
      std::isnan(window.sm) && window.tensor < kCollectiveTensor && window.dram < kRestingDram;
  return is_unseen ? Classified{} : ClassifyWork(window, questions);
}

}  // namespace lockstep::training
