// What the program's exit status means, for every verb.
#pragma once

namespace lockstep::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,  // it was tried and did not work; standard error says why
  kUsage = 2,    // the command line or a configuration file makes no sense
  kPartial = 3,  // `import`: done, but some files, lines or samples were not taken
};

}  // namespace lockstep::cli
