// /api/v1/training/heatmap: what is asked, and the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "answers/rank_picture.h"
#include "api/form.h"
#include "api/json_writer.h"

namespace lockstep::api {

struct HeatMapQuestion {
  answers::PictureMetric metric;
  bool is_over_steps = false;
  size_t bins = 200;
  size_t rows = SIZE_MAX;
  std::string only = "";  // "min", "max", "last" or "mean"; empty for all of them
};

// An error is the whole text for the client.
absl::StatusOr<HeatMapQuestion> HeatMapQuestionOf(const Form& form);

// The object. `metrics`: what the job can be asked for.
void WriteHeatMap(JsonWriter& json, const answers::LoadedJob& job, const HeatMapQuestion& question,
                  const std::vector<std::string>& metrics);

}  // namespace lockstep::api
