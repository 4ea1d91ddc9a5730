// The share of peak operations that trained the model, and the training speed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/devices/devices.h"
#include "training/devices/gpu_catalogue.h"
#include "training/efficiency/flops.h"
#include "training/job/confidence.h"
#include "training/job/job.h"
#include "training/job/steps.h"

namespace lockstep::training {

struct EfficiencyInput {
  const Job& job;
  const StepTable& steps;
  std::span<const GpuCounters> devices;  // one per rank of the job, or empty
  // For when operations are not reported, or for another convention.
  std::optional<ModelShape> shape = {};
  FlopsConvention convention = FlopsConvention::kReported;
  Precision precision = Precision::kBf16;  // of the peak
  bool recomputes_fully = false;           // for HFU
};

struct RankEfficiency {
  // Rate of the typical step. If the amount of work varies, there is no typical step: then total
  // operations over total time, without long steps.
  double tflops = kUnknown;
  double mfu = kUnknown;
};

struct EfficiencyAnswer {
  FlopsConvention convention = FlopsConvention::kReported;
  std::optional<double> peak_flops;  // of one device; if absent, `reason` says why
  std::string gpu_model;             // id in the catalogue
  double achieved_flops = kUnknown;  // of the best measured matrix product on such a device
  std::string reason;
  // Based on the median step after warm-up. A share above one means wrong data and sets the flag.
  double step_seconds = kUnknown;
  double tflops_per_gpu = kUnknown;
  double mfu = kUnknown;
  double hfu = kUnknown;
  bool is_above_peak = false;
  bool work_varies = false;       // steps do different amounts of work, so none is typical
  double mfu_of_wall = kUnknown;  // total operations over total time, including warm-up and stalls
  double tokens_per_second = kUnknown;
  double tokens_per_second_per_gpu = kUnknown;
  double consumed_tokens = kUnknown;
  // Peak bandwidth times the share of time in which device memory was active.
  double memory_bytes_per_second = kUnknown;
  double mbu = kUnknown;
  std::vector<RankEfficiency> ranks;  // one per rank of the job
  Confidence confidence;
};

EfficiencyAnswer EfficiencyOf(const EfficiencyInput& input);

// Seconds until `total_tokens` are consumed at the typical rate; unknown without one.
double SecondsLeft(const EfficiencyAnswer& answer, double total_tokens);

}  // namespace lockstep::training
