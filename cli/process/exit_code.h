// The program's exit status, for every verb.
#pragma once

namespace lockstep::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,  // the operation failed; standard error says why
  kUsage = 2,    // the command line or a configuration file is invalid
  kPartial = 3,  // `import`: done, but some files, lines or samples were skipped
};

}  // namespace lockstep::cli
