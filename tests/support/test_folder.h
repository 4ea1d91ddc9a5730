// TestFolder: an empty folder for one test. The destructor removes it and its contents.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  // Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  // Writes the file and the folders above it; returns its full path. `name` is relative to the folder.
  std::string Write(std::string_view name, std::string_view bytes) const;

 private:
  std::string path_;
};

}  // namespace lockstep
