#include "storage/kv/files/rocks_status.h"

#include <gtest/gtest.h>

#include "rocksdb/status.h"

namespace lockstep::kv {
namespace {

using rocksdb::Status;

TEST(FromRocks, SaysWhetherToRetry) {
  EXPECT_TRUE(FromRocks(Status::OK()).ok());
  EXPECT_EQ(FromRocks(Status::NotFound("x")).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FromRocks(Status::Corruption("x")), absl::DataLossError("Corruption: x"));
  EXPECT_EQ(FromRocks(Status::NoSpace("x")),
            absl::UnavailableError("the disk is full: IO error: No space left on device: x"));
  for (const Status& status :
       {Status::IOError("x"), Status::Busy("x"), Status::TryAgain("x"), Status::Incomplete("x"),
        Status::TimedOut("x"), Status::Aborted("x"), Status::ShutdownInProgress("x")}) {
    EXPECT_EQ(FromRocks(status), absl::UnavailableError(status.ToString()));
  }
  for (const Status& status : {Status::InvalidArgument("x"), Status::NotSupported("x")}) {
    EXPECT_EQ(FromRocks(status), absl::InternalError(status.ToString()));
  }
}

}  // namespace
}  // namespace lockstep::kv
