// The files that the paths of an import mean: folders are walked.
#pragma once

#include <string>
#include <vector>

namespace lockstep::importer {

struct InputFile {
  std::string path;
  std::string folder;     // below the folder that was walked, "" for a file that was named
  bool is_named = false;  // by who imports, and not found on a walk
  bool is_block = false;  // a folder: a block of a Prometheus' store
  std::string root{};  // the folder that was walked, as it was named; "" for a file that was named
};

struct InputFiles {
  std::vector<InputFile> files;  // those of a folder in order of their paths
  std::vector<std::string> remarks;
  std::vector<std::string> folders;  // that were walked
};

// "-" is standard input. Of a folder everything but hidden files and resume points; of a
// Prometheus' data folder its blocks, of a run of W&B its transaction log alone (W&B's own logs and
// a copy of the program's output lie beside it), and of several checkpoints' trainer_state.json
// that of the last, which holds the others'. A path that is not there is a file, which cannot be
// opened.
InputFiles FindInputFiles(const std::vector<std::string>& paths);

}  // namespace lockstep::importer
