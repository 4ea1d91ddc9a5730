#include "import/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::importer {

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

}  // namespace lockstep::importer
