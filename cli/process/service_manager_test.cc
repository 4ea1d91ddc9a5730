#include "cli/process/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep::cli {
namespace {

// A service manager's socket. NOTIFY_SOCKET points to it for the lifetime of this object.
class ServiceManager {
 public:
  explicit ServiceManager(const std::string& name) : name_(name) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    descriptor_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), length));
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~ServiceManager() {
    unsetenv("NOTIFY_SOCKET");
    close(descriptor_);
    if (name_[0] == '/') unlink(name_.c_str());
  }

  std::string Received() const {
    char bytes[100];
    const ssize_t size = recv(descriptor_, bytes, sizeof(bytes), MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(bytes, static_cast<size_t>(size));
  }

 private:
  std::string name_;
  int descriptor_;
};

TEST(ServiceManagerTest, ReceivesTheStateBySocketFile) {
  const ServiceManager manager(absl::StrFormat("%snotify-%d", testing::TempDir(), getpid()));
  EXPECT_TRUE(TellServiceManager("READY=1").ok());
  EXPECT_EQ(manager.Received(), "READY=1");
  EXPECT_EQ(manager.Received(), "nothing");
}

TEST(ServiceManagerTest, ReceivesTheStateByAbstractSocket) {
  const ServiceManager manager(absl::StrFormat("@lockstep-notify-%d", getpid()));
  EXPECT_TRUE(TellServiceManager("STOPPING=1").ok());
  EXPECT_EQ(manager.Received(), "STOPPING=1");
}

TEST(ServiceManagerTest, IsNotToldWhereThereIsNone) {
  unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(TellServiceManager("READY=1").ok());
}

TEST(ServiceManagerTest, AddressesThatAreNoSocketsAreErrors) {
  for (const std::string& name : {std::string(), std::string("@"), std::string("relative/socket"),
                                  "/" + std::string(200, 'x')}) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    EXPECT_TRUE(absl::IsInvalidArgument(TellServiceManager("READY=1"))) << name;
  }
  setenv("NOTIFY_SOCKET", "/nobody/listens/here", 1);
  EXPECT_TRUE(absl::IsUnavailable(TellServiceManager("READY=1")));
  unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace lockstep::cli
