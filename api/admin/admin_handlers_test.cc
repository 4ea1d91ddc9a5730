#include "api/admin/admin_handlers.h"

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/http/params.h"

namespace lockstep::api {
namespace {

// Returns preset results and records its calls.
class FakeAdmin : public StorageAdmin {
 public:
  absl::StatusOr<BackupSummary> Backup(const std::string& folder, size_t keep_count) override {
    asked = folder + " " + std::to_string(keep_count);
    if (!failure.ok()) return failure;
    return BackupSummary{.number = 7, .time_ms = 1500, .byte_count = 42, .shard_count = 2};
  }
  absl::StatusOr<std::string> Snapshot() override {
    asked = "snapshot";
    if (!failure.ok()) return failure;
    return std::string("20171210T211224Z-2be650b6d019eb54");
  }
  absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                            TimeRange range) override {
    asked = "delete";
    for (const std::vector<Matcher>& matchers : matcher_sets) {
      asked += " {";
      for (const Matcher& matcher : matchers) asked += matcher.ToString() + ";";
      asked += "}";
    }
    asked += " " + std::to_string(range.min_ms) + " " + std::to_string(range.max_ms);
    return failure;
  }
  absl::Status CleanTombstones() override {
    asked = "clean";
    return failure;
  }

  std::string asked;
  absl::Status failure;
};

class AdminHandlersTest : public testing::Test {
 protected:
  using Handler = Response (*)(const Call&, StorageAdmin*);

  void Check(Handler handler, const std::string& form, int status, const std::string& body,
             const std::string& asked) {
    Request request;
    request.target = "/?" + form;
    admin_.asked.clear();
    const Response response = handler({Form::Of(request), ""}, admin());
    EXPECT_EQ(response.status, status) << form;
    EXPECT_EQ(response.body, body) << form;
    EXPECT_EQ(admin_.asked, asked) << form;
  }
  StorageAdmin* admin() { return is_enabled_ ? &admin_ : nullptr; }

  FakeAdmin admin_;
  bool is_enabled_ = true;
};

std::string Error(const std::string& type, const std::string& text) {
  return R"({"status":"error","errorType":")" + type + R"(","error":")" + text + R"("})";
}

Response BackUp(const Call& call, StorageAdmin* admin) {
  return HandleBackup(call, admin, "/no-such/backups");
}

TEST_F(AdminHandlersTest, SnapshotsAnswerWithTheirNameAsPrometheusDo) {
  const std::string name =
      R"({"status":"success","data":{"name":"20171210T211224Z-2be650b6d019eb54"}})";
  Check(HandleSnapshot, "", 200, name, "snapshot");
  Check(HandleSnapshot, "skip_head=true", 200, name, "snapshot");
  Check(
      HandleSnapshot, "skip_head=x", 400,
      Error("bad_data",
            R"(invalid parameter \"skip_head\": strconv.ParseBool: parsing \"x\": invalid syntax)"),
      "");
}

TEST_F(AdminHandlersTest, BackupsSayWhatTheyMade) {
  const std::string made =
      R"({"status":"success","data":{"number":7,"timeMs":1500,"bytes":42,"shards":2}})";
  Check(BackUp, "to=/no-such/backups&keep=3", 200, made, "/no-such/backups 3");
  Check(BackUp, "to=daily", 200, made, "/no-such/backups/daily " + std::to_string(SIZE_MAX));
  Check(
      BackUp, "to=/no-such", 400,
      Error("bad_data", R"(invalid parameter \"to\": \"/no-such\" is not below the backup folder )"
                        "/no-such/backups (storage.backup.dir)"),
      "");
  Check(BackUp, "keep=-1", 400,
        Error("bad_data", R"(invalid parameter \"keep\": limit must be non-negative)"), "");
}

TEST_F(AdminHandlersTest, DeletingTakesSelectorsAndTimesAsPrometheusDoes) {
  const std::string all = " " + std::to_string(kMinTimeMs) + " " + std::to_string(kMaxTimeMs);
  Check(HandleDeleteSeries, "match[]=up", 204, "", "delete {__name__=\"up\";}" + all);
  Check(HandleDeleteSeries, "match[]=up%7Bjob%3D~%22a.*%22%7D&match[]=down&start=1.5&end=2", 204,
        "", "delete {job=~\"a.*\";__name__=\"up\";} {__name__=\"down\";} 1500 2000");
  Check(HandleDeleteSeries, "match[]=up&start=1970-01-01T00:00:01Z", 204, "",
        "delete {__name__=\"up\";} 1000 " + std::to_string(kMaxTimeMs));
}

TEST_F(AdminHandlersTest, DeletingWithoutAClearRequestIsRefused) {
  Check(HandleDeleteSeries, "", 400, Error("bad_data", "no match[] parameter provided"), "");
  Check(HandleDeleteSeries, "start=1&end=2", 400,
        Error("bad_data", "no match[] parameter provided"), "");
  Check(HandleDeleteSeries, "match[]=up&start=x", 400,
        Error("bad_data", R"(invalid parameter \"start\": invalid time value for 'start': )"
                          R"(cannot parse \"x\" to a valid timestamp)"),
        "");
  for (const std::string selector : {"", "%7B%7D", "up%7B", "%7Ba%3D~%22.*%22%7D"}) {
    Request request;
    request.target = "/?match[]=" + selector;
    const Response response = HandleDeleteSeries({Form::Of(request), ""}, admin());
    EXPECT_EQ(response.status, 400) << selector;
    EXPECT_EQ(admin_.asked, "") << selector;
  }
}

TEST_F(AdminHandlersTest, CleaningAnswersWithoutABody) {
  Check(HandleCleanTombstones, "", 204, "", "clean");
}

TEST_F(AdminHandlersTest, FailuresOfTheStoreAreTold) {
  admin_.failure = absl::FailedPreconditionError("the folder is in use");
  Check(BackUp, "to=b&keep=1", 422, Error("execution", "the folder is in use"),
        "/no-such/backups/b 1");
  admin_.failure = absl::DataLossError("a file is damaged");
  Check(HandleSnapshot, "", 500, Error("internal", "a file is damaged"), "snapshot");
  admin_.failure = absl::UnavailableError("the disk is full");
  Check(BackUp, "to=b&keep=1", 503, Error("unavailable", "the disk is full"),
        "/no-such/backups/b 1");
  Check(HandleCleanTombstones, "", 503, Error("unavailable", "the disk is full"), "clean");
  Check(HandleDeleteSeries, "match[]=up&start=1&end=2", 503,
        Error("unavailable", "the disk is full"), "delete {__name__=\"up\";} 1000 2000");
}

TEST_F(AdminHandlersTest, AStoreThatIsOnlyReadForbidsAll) {
  admin_.failure = absl::PermissionDeniedError("this server only reads");
  const std::string forbidden = Error("forbidden", "this server only reads");
  Check(HandleSnapshot, "", 403, forbidden, "snapshot");
  Check(BackUp, "to=b&keep=1", 403, forbidden, "/no-such/backups/b 1");
  Check(HandleCleanTombstones, "", 403, forbidden, "clean");
  Check(HandleDeleteSeries, "match[]=up&start=1&end=2", 403, forbidden,
        "delete {__name__=\"up\";} 1000 2000");
}

TEST_F(AdminHandlersTest, NothingIsDoneUnlessTheOperatorAskedForIt) {
  is_enabled_ = false;
  const std::string disabled = Error("unavailable", "admin APIs disabled");
  Check(HandleSnapshot, "", 503, disabled, "");
  Check(BackUp, "to=/no-such/backups", 503, disabled, "");
  Check(HandleDeleteSeries, "match[]=up", 503, disabled, "");
  Check(HandleCleanTombstones, "", 503, disabled, "");
}

}  // namespace
}  // namespace lockstep::api
