// What each network interface of a job's hosts carries over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "answers/loaded_job.h"
#include "answers/time_bins.h"
#include "training/links.h"
#include "training/row_groups.h"

namespace lockstep::answers {

// An interface, and the ranks on its host.
struct LinkRow {
  std::string host;
  std::string device;
  int64_t first_rank = 0;
  int64_t last_rank = 0;
};

// A row per interface, by host and device. Cells are bytes per second.
struct LinkPicture {
  std::vector<PictureBin> bins;
  std::vector<LinkRow> rows;
  training::PictureCells cells;
};

// `job` was loaded with its links. Interfaces that count nothing of `counter`, a total, have no row. At most `bins`
// bins; none where there are no rows.
LinkPicture LinkPictureOf(const LoadedJob& job, training::LinkCounter counter, size_t bins);

}  // namespace lockstep::answers
