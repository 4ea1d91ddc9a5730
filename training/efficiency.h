// What share of the bought operations trained the model, and how fast.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/confidence.h"
#include "training/devices.h"
#include "training/flops.h"
#include "training/gpu_catalogue.h"
#include "training/job.h"
#include "training/steps.h"

namespace lockstep::training {

struct EfficiencyInput {
  const Job& job;
  const StepTable& steps;
  std::span<const GpuCounters> devices;  // one per rank of the job, or none
  // What the model is, where operations are not reported or another convention is wanted.
  std::optional<ModelShape> shape = {};
  FlopsConvention convention = FlopsConvention::kReported;
  Precision precision = Precision::kBf16;  // the peak that is compared with
  bool recomputes_fully = false;           // for the hardware's share
};

struct RankEfficiency {
  // Per second, of its typical step. Where steps differ in how much they do there is no typical one:
  // then all operations over all of their time, long steps left out.
  double tflops = kUnknown;
  double mfu = kUnknown;
};

struct EfficiencyAnswer {
  FlopsConvention convention = FlopsConvention::kReported;
  std::optional<double> peak_flops;  // of one device; absent: `reason` says why
  std::string gpu_model;             // the catalogue's id
  double achieved_flops = kUnknown;  // by the best measured matrix product on such a device
  std::string reason;
  // Typical: by the median step after warm-up. A share above one is an error in the data: then the flag is
  // set.
  double step_seconds = kUnknown;
  double tflops_per_gpu = kUnknown;
  double mfu = kUnknown;
  double hfu = kUnknown;
  bool is_above_peak = false;
  bool work_varies = false;  // steps do different amounts of work: none is typical
  double mfu_of_wall =
      kUnknown;  // all operations over all of the time, warm-up and stalls included
  double tokens_per_second = kUnknown;
  double tokens_per_second_per_gpu = kUnknown;
  double consumed_tokens = kUnknown;
  // Share of the time in which device memory was read or written, times its peak.
  double memory_bytes_per_second = kUnknown;
  double mbu = kUnknown;
  std::vector<RankEfficiency> ranks;  // one per rank of the job
  Confidence confidence;
};

EfficiencyAnswer EfficiencyOf(const EfficiencyInput& input);

// The same typical step, counted another way: multiplies what depends on operations.
std::optional<double> ConversionFactor(FlopsConvention from, FlopsConvention to,
                                       const ModelShape& shape);

// Bandwidth share of decoding: all weights and the cache are read for each token.
double DecodeMbu(double weight_bytes, double cache_bytes, double seconds_per_token,
                 double peak_bytes_per_second);

// Seconds until `total_tokens` are consumed at the typical pace; unknown without it.
double SecondsLeft(const EfficiencyAnswer& answer, double total_tokens);

}  // namespace lockstep::training
