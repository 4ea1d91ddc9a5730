#include "api/admin/notifications.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

using testing::HasSubstr;

std::string NextOf(BodySource& stream) {
  std::string part;
  EXPECT_TRUE(stream.Next(part).ok());
  return part;
}

TEST(NotificationsTest, AreSaidUntilTheyAreTakenBack) {
  Notifications notifications;
  EXPECT_EQ(HandleNotifications(notifications).body, R"({"status":"success","data":[]})");
  notifications.Add("It failed.", 1700000000000);
  notifications.Add("It failed.", 1700000001000);
  EXPECT_EQ(HandleNotifications(notifications).body,
            R"({"status":"success","data":[{"text":"It failed.","date":"2023-11-14T22:13:21.000Z",)"
            R"("active":true}]})");
  notifications.Remove("It failed.");
  notifications.Remove("It failed.");
  EXPECT_EQ(HandleNotifications(notifications).body, R"({"status":"success","data":[]})");
}

TEST(NotificationsTest, ListenersHearWhatIsSaidAndWhatChanges) {
  Notifications notifications;
  notifications.Add("first", 1700000000000);
  const Response response = HandleLiveNotifications(notifications);
  ASSERT_NE(response.rest, nullptr);
  EXPECT_EQ(response.content_type, "text/event-stream");
  int calls = 0;
  response.rest->Await([&calls] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(NextOf(*response.rest),
            "data: {\"text\":\"first\",\"date\":\"2023-11-14T22:13:20.000Z\",\"active\":true}\n\n");
  response.rest->Await([&calls] { ++calls; });
  EXPECT_EQ(calls, 1);
  notifications.Remove("first");
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(NextOf(*response.rest), HasSubstr("\"active\":false"));
}

TEST(NotificationsTest, AnEndEndsStreams) {
  Notifications notifications;
  const std::unique_ptr<BodySource> stream = notifications.Listen();
  int calls = 0;
  stream->Await([&calls] { ++calls; });
  notifications.End();
  EXPECT_EQ(calls, 1);
  std::string part;
  EXPECT_FALSE(*stream->Next(part));
  EXPECT_EQ(HandleLiveNotifications(notifications).status, 204);
}

TEST(NotificationsTest, SoManyMayListen) {
  Notifications notifications;
  std::vector<std::unique_ptr<BodySource>> streams;
  for (size_t i = 0; i < Notifications::kMaxListeners; ++i) {
    streams.push_back(notifications.Listen());
    EXPECT_NE(streams.back(), nullptr);
  }
  EXPECT_EQ(notifications.Listen(), nullptr);
  streams.pop_back();
  EXPECT_NE(notifications.Listen(), nullptr);
}

TEST(NotificationsTest, ListenersGetSignsOfLife) {
  Notifications notifications(std::chrono::milliseconds(1));
  const std::unique_ptr<BodySource> stream = notifications.Listen();
  Mutex mutex;
  CondVar called;
  bool was_called = false;
  stream->Await([&] {
    const MutexLock lock(mutex);
    was_called = true;
    called.NotifyAll();
  });
  {
    const MutexLock lock(mutex);
    while (!was_called) called.Wait(mutex);
  }
  EXPECT_EQ(NextOf(*stream), ":\n\n");
}

}  // namespace
}  // namespace lockstep::api
