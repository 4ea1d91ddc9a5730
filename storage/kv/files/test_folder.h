// TestFolder: a fresh folder for one test, removed with its content at the end.
#pragma once

#include <string>

namespace lockstep::kv {

class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace lockstep::kv
