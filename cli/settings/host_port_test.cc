#include "cli/settings/host_port.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

TEST(HostPortTest, ReadsAddresses) {
  struct Row {
    std::string_view text;
    std::string_view host;
    uint16_t port;
  };
  for (const Row& row : {Row{"127.0.0.1:9009", "127.0.0.1", 9009}, Row{":80", "0.0.0.0", 80},
                         Row{"localhost:0", "127.0.0.1", 0}, Row{"[::1]:65535", "::1", 65535}}) {
    const absl::StatusOr<HostPort> address = ParseHostPort(row.text);
    ASSERT_TRUE(address.ok()) << row.text;
    EXPECT_EQ(address->host, row.host);
    EXPECT_EQ(address->port, row.port);
  }
}

TEST(HostPortTest, RefusesTheRest) {
  for (const std::string_view text : {"", "127.0.0.1", "127.0.0.1:", ":65536", ":-1", ":80x"}) {
    EXPECT_FALSE(ParseHostPort(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lockstep::cli
