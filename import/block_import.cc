#include "import/block_import.h"

#include <filesystem>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "import/mapped_file.h"
#include "import/resume_point.h"
#include "import/sample_sender.h"
#include "import/series_batch.h"
#include "import/tsdb_blocks/block_reader.h"

namespace lockstep::importer {
namespace {

namespace fs = std::filesystem;

// Series between two resume points.
constexpr uint64_t kSeriesPerPoint = 1000;

struct MappedBlock {
  std::vector<MappedFile> mapped;  // what `files` are views of
  tsdb_blocks::BlockFiles files;
  uint64_t bytes = 0;

  absl::StatusOr<std::string_view> Map(const fs::path& path) {
    LOCKSTEP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
    bytes += file.bytes().size();
    mapped.push_back(std::move(file));
    return mapped.back().bytes();
  }
};

absl::StatusOr<MappedBlock> MapBlock(const fs::path& folder) {
  MappedBlock block;
  LOCKSTEP_ASSIGN_OR_RETURN(block.files.index, block.Map(folder / "index"));
  std::error_code error;
  std::set<fs::path> paths;
  for (fs::directory_iterator at(folder / "chunks", error), end; !error && at != end;
       at.increment(error)) {
    paths.insert(at->path());
  }
  for (const fs::path& path : paths) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view segment, block.Map(path));
    block.files.segments.push_back(segment);
  }
  if (const fs::path path = folder / "tombstones"; fs::exists(path, error)) {
    LOCKSTEP_ASSIGN_OR_RETURN(block.files.tombstones, block.Map(path));
  }
  return block;
}

void Conclude(const tsdb_blocks::BlockCounts& counts, const ImportSession& session,
              ImportReport& report) {
  report.left_out += counts.bad_series + counts.bad_chunks;
  if (!counts.first_damage.ok()) {
    session.complain(report, std::string(Message(counts.first_damage)));
  }
  const auto remark = [&report](uint64_t count, std::string_view what) {
    if (count > 0) report.remarks.push_back(absl::StrFormat("%d %s", count, what));
  };
  remark(counts.bad_series, "damaged series");
  remark(counts.bad_chunks, "damaged chunks");
  remark(counts.deleted_samples, "deleted samples are left out");
  remark(counts.out_of_order_samples, "samples out of order are left out");
}

}  // namespace

absl::Status ImportBlock(const std::string& folder, const ImportSession& session,
                         ImportReport& report) {
  LOCKSTEP_ASSIGN_OR_RETURN(const MappedBlock block, MapBlock(folder));
  report.file_bytes = block.bytes;
  LOCKSTEP_ASSIGN_OR_RETURN(auto reader, tsdb_blocks::BlockReader::Open(block.files));
  const std::string resume_base = fs::path(folder).lexically_normal().string();
  LOCKSTEP_ASSIGN_OR_RETURN(ResumePoint point,
                            ResumePoint::Open(resume_base, block.bytes, session.resume_use()));
  SampleSender sender(session, report);
  SeriesBatch batch(sender);
  uint64_t count = 0;
  while (const auto series = reader.Next()) {
    if (++count <= point.done()) {
      ++report.done_before;
      continue;
    }
    LOCKSTEP_RETURN_IF_ERROR(batch.Add(series->labels, series->samples));
    if (count % kSeriesPerPoint != 0) continue;
    LOCKSTEP_RETURN_IF_ERROR(batch.Flush());
    LOCKSTEP_RETURN_IF_ERROR(point.Advance(count));
  }
  LOCKSTEP_RETURN_IF_ERROR(batch.Flush());
  report.read_bytes = report.file_bytes;
  point.Remove();
  Conclude(reader.counts(), session, report);
  return absl::OkStatus();
}

}  // namespace lockstep::importer
