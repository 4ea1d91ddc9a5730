// The traffic of each network interface of a job's hosts over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "answers/heat_map/time_bins.h"
#include "answers/load/loaded_job.h"
#include "training/devices/links.h"
#include "training/row_groups.h"

namespace lockstep::answers {

// An interface and the ranks on its host, or only ranks.
struct PictureRow {
  std::string host = {};
  std::string device = {};
  int64_t first_rank = 0;
  int64_t last_rank = 0;
};

// One row per interface, sorted by host and device. Cells are in bytes per second.
struct LinkPicture {
  std::vector<PictureBin> bins;
  std::vector<PictureRow> rows;
  training::PictureCells cells;
};

// `job` must have been loaded with its links, and `role` must be a total. Interfaces without
// this role have no row. Makes at most `bins` bins, or none if there are no rows.
LinkPicture LinkPictureOf(const LoadedJob& job, catalogue::Role role, size_t bins);

}  // namespace lockstep::answers
