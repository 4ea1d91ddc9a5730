#include "cli/process/certificates.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  lockstep::cli::UseSystemCertificates();
  return lockstep::cli::RunProgram(argc, argv);
}
