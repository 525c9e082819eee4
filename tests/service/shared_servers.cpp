#include "tests/service/shared_servers.hpp"

#include <map>
#include <memory>

namespace matchcloud::e2e {

namespace {

/// One server per transport, running until the program ends.
class per_transport {
public:
  explicit per_transport(arguments flags) : flags_{std::move(flags)} {}

  server& of(const std::string& transport) {
    auto& place = servers_[transport];
    if (!place) {
      auto flags = flags_;
      flags.insert(flags.end(), {"--transport", transport, "--loops", "2"});
      place = std::make_unique<server>(flags);
    }
    return *place;
  }

private:
  arguments flags_;
  std::map<std::string, std::unique_ptr<server>> servers_;
};

} // namespace

server& plain_server(const std::string& transport) {
  shared_world(); // must outlive the servers, so it is constructed first
  static per_transport servers{{}};
  return servers.of(transport);
}

server& located_server(const std::string& transport) {
  static per_transport servers{
      {"--geoip", shared_world().geoip(), "--trusted-proxies", "127.0.0.1"}};
  return servers.of(transport);
}

server& configured_server(const std::string& transport) {
  shared_world();
  static per_transport servers{{"--base-path", "/mm", "--fallback-location", "35,139",
                                "--cors-origins", "https://play.example,http://localhost:3000",
                                "--unknown-members", "ignore"}};
  return servers.of(transport);
}

} // namespace matchcloud::e2e
