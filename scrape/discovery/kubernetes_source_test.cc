#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "scrape/discovery/sources.h"
#include "tests/scripted_server.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class KubernetesSourceTest : public testing::Test {
 protected:
  KubernetesDiscovery Config(KubernetesRole role) const {
    KubernetesDiscovery config;
    config.role = role;
    config.api_server = server_.url();
    return config;
  }

  // What is listed for `config` by a server that has nothing.
  std::vector<std::string> Listed(const KubernetesDiscovery& config) {
    server_.SetPages({R"({"items": []})"});
    const auto found = MakeKubernetesSource(config)->Look();
    EXPECT_TRUE(found.ok()) << found.status();
    return server_.targets();
  }

  ScriptedServer server_;
};

// The paths are those of Kubernetes' API reference.
TEST_F(KubernetesSourceTest, ListsWhatTheRoleNeeds) {
  using enum KubernetesRole;
  EXPECT_THAT(Listed(Config(kNode)), ElementsAre("GET /api/v1/nodes?limit=500"));
  EXPECT_THAT(Listed(Config(kPod)), ElementsAre("GET /api/v1/pods?limit=500"));
  EXPECT_THAT(Listed(Config(kService)), ElementsAre("GET /api/v1/services?limit=500"));
  EXPECT_THAT(Listed(Config(kIngress)),
              ElementsAre("GET /apis/networking.k8s.io/v1/ingresses?limit=500"));
  EXPECT_THAT(Listed(Config(kEndpoints)),
              ElementsAre("GET /api/v1/endpoints?limit=500", "GET /api/v1/services?limit=500",
                          "GET /api/v1/pods?limit=500"));
  EXPECT_THAT(Listed(Config(kEndpointSlice)),
              ElementsAre("GET /apis/discovery.k8s.io/v1/endpointslices?limit=500",
                          "GET /api/v1/services?limit=500", "GET /api/v1/pods?limit=500"));
}

TEST_F(KubernetesSourceTest, ListsWhatIsAttachedToo) {
  KubernetesDiscovery config = Config(KubernetesRole::kPod);
  config.attach_node = true;
  EXPECT_THAT(Listed(config),
              ElementsAre("GET /api/v1/pods?limit=500", "GET /api/v1/nodes?limit=500"));
  config.attach_node = false;
  config.attach_namespace = true;
  EXPECT_THAT(Listed(config),
              ElementsAre("GET /api/v1/pods?limit=500", "GET /api/v1/namespaces?limit=500"));
}

TEST_F(KubernetesSourceTest, ListsEachNamespaceAloneButNodesAtOnce) {
  KubernetesDiscovery config = Config(KubernetesRole::kPod);
  config.namespaces = {"gpu", "a/b", "gpu"};
  config.attach_node = true;
  config.attach_namespace = true;
  EXPECT_THAT(Listed(config),
              ElementsAre("GET /api/v1/namespaces/a%2Fb/pods?limit=500",
                          "GET /api/v1/namespaces/gpu/pods?limit=500",
                          "GET /api/v1/nodes?limit=500", "GET /api/v1/namespaces?limit=500"));
}

TEST_F(KubernetesSourceTest, SelectorsRestrictTheirRole) {
  KubernetesDiscovery config = Config(KubernetesRole::kEndpoints);
  config.selectors = {{KubernetesRole::kEndpoints, "app=dcgm,x!=y", ""},
                      {KubernetesRole::kPod, "", "spec.nodeName=n"},
                      {KubernetesRole::kService, "a=b", "c=d"}};
  EXPECT_THAT(Listed(config),
              ElementsAre("GET /api/v1/endpoints?limit=500&labelSelector=app%3Ddcgm%2Cx%21%3Dy",
                          "GET /api/v1/services?limit=500&labelSelector=a%3Db&fieldSelector=c%3Dd",
                          "GET /api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Dn"));
}

TEST_F(KubernetesSourceTest, ReadsAllPages) {
  server_.SetPages({R"({"metadata": {"continue": "t/2"}, "items": [{"metadata": {"name": "a"},
                        "spec": {"containers": [{}]}, "status": {"podIP": "10.0.0.1"}}]})",
                    R"({"metadata": {"continue": ""}, "items": [{"metadata": {"name": "b"},
                        "spec": {"containers": [{}]}, "status": {"podIP": "10.0.0.2"}}]})"});
  KubernetesDiscovery config = Config(KubernetesRole::kPod);
  config.http.credentials.text = "of-account";
  const auto found = MakeKubernetesSource(config)->Look();
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ((*found)->groups.size(), 2u);
  EXPECT_THAT((*found)->groups[0].addresses, ElementsAre("10.0.0.1"));
  EXPECT_THAT((*found)->groups[1].addresses, ElementsAre("10.0.0.2"));
  EXPECT_EQ((*found)->groups[1].source, "pod//b");
  EXPECT_THAT(server_.targets(), ElementsAre("GET /api/v1/pods?limit=500",
                                             "GET /api/v1/pods?limit=500&continue=t%2F2"));
  for (const std::string& request : server_.requests()) {
    EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Bearer of-account\r\n"));
    EXPECT_THAT(request, HasSubstr("\r\nAccept: application/json\r\n"));
  }
}

TEST_F(KubernetesSourceTest, SaysWhatTheServerRefusesAndWhy) {
  server_.SetAnswers({ScriptedServer::Ok(R"({"items": []})"),
                      AnsweringServer::Page(
                          "403 x", R"({"kind": "Status", "message": "services is forbidden"})")});
  const auto source = MakeKubernetesSource(Config(KubernetesRole::kEndpoints));
  const absl::Status refused = source->Look().status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(refused),
            "services: server returned HTTP status 403 Forbidden: services is forbidden");
  server_.SetAnswers({AnsweringServer::Page("502 x", "<html>")});
  EXPECT_EQ(Message(source->Look().status()),
            "endpoints: server returned HTTP status 502 Bad Gateway");
  server_.SetPages({"[]"});
  EXPECT_EQ(Message(source->Look().status()), "endpoints: the answer is not a list of objects");
}

TEST_F(KubernetesSourceTest, ARefusedNamespaceEndsTheLookUp) {
  server_.SetAnswers({AnsweringServer::Page("403 x", ""), ScriptedServer::Ok(R"({"items": []})")});
  KubernetesDiscovery config = Config(KubernetesRole::kPod);
  config.namespaces = {"a", "b"};
  EXPECT_FALSE(MakeKubernetesSource(config)->Look().ok());
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(KubernetesSourceTest, ALookUpThatIsCancelledFails) {
  server_.SetPages({R"({"items": []})"});
  const auto source = MakeKubernetesSource(Config(KubernetesRole::kPod));
  source->Cancel();
  EXPECT_THAT(std::string(Message(source->Look().status())), StartsWith("pods: "));
}

TEST_F(KubernetesSourceTest, HoldsNoMemoryForTheAnswers) {
  server_.SetPages({R"({"items": [)" + std::string(100'000, ' ') + "]}"});
  const auto held = [] {
    return MemoryBudget::OfProcess()
        .stats()
        .accounts[static_cast<size_t>(MemoryAccount::kScrapes)]
        .held_bytes;
  };
  const uint64_t before = held();
  const auto source = MakeKubernetesSource(Config(KubernetesRole::kPod));
  ASSERT_TRUE(source->Look().ok());
  EXPECT_EQ(held(), before);
}

TEST_F(KubernetesSourceTest, NamesItsServerWithoutSecrets) {
  KubernetesDiscovery config;
  config.role = KubernetesRole::kEndpointSlice;
  EXPECT_EQ(MakeKubernetesSource(config)->name(),
            "endpointslice of the API server of this cluster");
  config.api_server = "https://me:secret@k.example";
  EXPECT_EQ(MakeKubernetesSource(config)->name(), "endpointslice of https://me:xxxxx@k.example");
}

TEST(KubernetesAccessOfTest, OutsideOfAClusterNoServerIsKnown) {
  const std::string refusal =
      "this process is not in a pod with KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT in "
      "its environment: kubernetes_sd_configs needs api_server";
  const KubernetesDiscovery config;
  unsetenv("KUBERNETES_SERVICE_HOST");
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  EXPECT_EQ(Message(KubernetesAccessOf(config, "/none").status()), refusal);
  setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
  unsetenv("KUBERNETES_SERVICE_PORT");
  EXPECT_EQ(Message(KubernetesAccessOf(config, "/none").status()), refusal);
  unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(Message(MakeKubernetesSource(config)->Look().status()), refusal);
}

TEST(KubernetesAccessOfTest, AGivenServerHasItsOwnSecrets) {
  KubernetesDiscovery config;
  config.api_server = "https://k.example";
  config.http.credentials.text = "t";
  config.namespaces = {"b", "a", "b"};
  const auto access = KubernetesAccessOf(config, "/none");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->url, "https://k.example");
  EXPECT_EQ(access->http, config.http);
  EXPECT_THAT(access->namespaces, ElementsAre("a", "b"));
}

TEST(KubernetesAccessOfTest, APodWithoutItsNamespaceIsAnError) {
  KubernetesDiscovery config;
  config.api_server = "https://k.example";
  config.own_namespace = true;
  const absl::Status status = KubernetesAccessOf(config, "/no/such/folder").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), "cannot read the pod's namespace in \"/no/such/folder/namespace\"");
}

}  // namespace
}  // namespace lockstep::scrape
