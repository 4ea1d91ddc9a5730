// Finds the files for the paths of an import, walking folders, and what their paths say about them.
#pragma once

#include <string>
#include <vector>

#include "ingest/logs/record/log_hints.h"

namespace lockstep::importer {

struct InputFile {
  std::string path;
  std::string folder;     // relative to the walked folder, "" for a named file
  bool is_named = false;  // named by the user, not found by walking
  bool is_block = false;  // a folder with a block of a Prometheus store
  std::string root{};     // the walked folder as named by the user; "" for a named file
};

struct InputFiles {
  std::vector<InputFile> files;  // sorted by path within a folder
  std::vector<std::string> remarks;
  std::vector<std::string> folders;  // all folders walked
};

// "-" is standard input. In a folder, finds everything except hidden files and resume points. In a
// Prometheus data folder, finds its blocks; in a W&B run, only its transaction log (W&B's own logs
// and a copy of the program's output lie next to it); of several checkpoints' trainer_state.json,
// only the last, which includes the others. A missing path counts as a file, which cannot be
// opened.
InputFiles FindInputFiles(const std::vector<std::string>& paths);

// Combines the hints from `file`'s path with those in `given`, which take precedence. A file found
// by walking a folder, whose path names no run, belongs to a run named after its folder below the
// walked one.
logs::LogHints HintsOf(const InputFile& file, const logs::LogHints& given);

}  // namespace lockstep::importer
