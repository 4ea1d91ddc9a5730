// TestFolder: a fresh folder for one test, removed with all that is in it at its end.
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
