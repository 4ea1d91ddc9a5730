// Imports a block of a Prometheus store, decoded by import/tsdb_blocks.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "import/delivery/resume_point.h"
#include "import/delivery/series_batch.h"
#include "import/importers.h"
#include "import/tsdb_blocks/block_reader.h"

namespace lockstep::importer {
namespace {

// A memory-mapped file. The file must not shrink meanwhile.
class MappedFile {
 public:
  static absl::StatusOr<MappedFile> Open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  const auto failed = [&path] {
    return absl::NotFoundError(absl::StrFormat("cannot read %s: %s", path, std::strerror(errno)));
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed();
  struct stat about {};
  void* memory = nullptr;
  const bool has_size = fstat(file, &about) == 0;
  const auto size = has_size ? static_cast<size_t>(about.st_size) : 0;
  if (size > 0) memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (!has_size || memory == MAP_FAILED) return failed();
  return MappedFile({static_cast<const char*>(memory), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, std::string_view())) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

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
