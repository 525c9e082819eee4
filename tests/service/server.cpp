#include "tests/service/server.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/service/tls_client.hpp"
#include "tests/service/tls_tunnel.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

namespace matchcloud::e2e {

namespace {

constexpr std::string_view second_game_document = R"({"games": [{
  "game_id": "00000000-0000-4000-8000-000000000002", "display_name": "Second Game",
  "namespaces": [{
    "namespace_id": "00000000-0000-4000-8000-000000000021", "name": "eu",
    "domains": ["eu.second.example"], "regions": ["fra", "lon"]}]}]})";

std::string geoip_bytes() {
  using namespace fixtures;
  mmdb_builder builder;
  const auto london = mmdb_nested_record(51.5074, -0.1278);
  builder.add_v4({192, 0, 2, 0}, 24, london);
  builder.add_v6({0x20, 0x01, 0x0d, 0xb8}, 32, london);
  builder.add_v4({198, 51, 100, 0}, 24, mmdb_nested_record(35.6762, 139.6503));
  builder.add_v4({127, 0, 0, 0}, 8, mmdb_nested_record(-33.8688, 151.2093));
  return builder.build();
}

address parse_address(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  const auto colon = url.rfind(':');
  auto host = url.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {std::string{host},
          static_cast<std::uint16_t>(std::stoi(std::string{url.substr(colon + 1)}))};
}

bool has(const arguments& flags, const char* name) {
  return std::find(flags.begin(), flags.end(), name) != flags.end();
}

/// `tunnel`: the tunnel by which clients reach the data plane, which speaks TLS then; or null.
arguments serve_arguments(const arguments& flags, const world& in, const tls_tunnel* tunnel) {
  arguments all{"serve", "--data-dir", in.data_dir()};
  if (!has(flags, "--ops-listen")) all.insert(all.end(), {"--ops-listen", "127.0.0.1:0"});
  if (tunnel != nullptr) {
    all = all + tls_data + shared_files().flags();
    if (!has(flags, "--public-url"))
      all.insert(all.end(), {"--public-url", "http://" + tunnel->where().authority()});
  } else if (!has(flags, "--listen")) {
    all.insert(all.end(), {"--listen", "127.0.0.1:0"});
  }
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

/// Only where the test itself says nothing of listeners, and the transport speaks TLS.
std::unique_ptr<tls_tunnel> tunnel_for(const arguments& flags) {
  if (!tests_over_tls() || has(flags, "--listen") || has(flags, "httplib")) return nullptr;
  return std::make_unique<tls_tunnel>();
}

} // namespace

world::world() : world{std::filesystem::temp_directory_path().string()} {}

world::world(const std::string& parent)
    : directory_{parent},
      store_{usual_store()},
      geoip_{directory_.file("places.mmdb", geoip_bytes())} {
  seed();
}

world::world(const store_url& store) : world{environment{}, store} {}

world::world(const environment& told)
    : store_{usual_store()}, geoip_{directory_.file("places.mmdb", geoip_bytes())} {
  tell_processes(data_dir(), told);
  seed();
}

world::world(const environment& told, const store_url& store)
    : store_{store}, owns_store_{false}, geoip_{directory_.file("places.mmdb", geoip_bytes())} {
  tell_processes(data_dir(), told);
  seed();
}

world::~world() {
  try {
    if (owns_store_) remove_usual_store(store_);
  } catch (const std::exception& failed) {
    std::cerr << "a database stays: " << failed.what() << '\n';
  }
}

void world::seed() const {
  if (!store_.text.empty()) serve_store(data_dir(), store_);
  const auto seeded = run({"demo", "--data-dir", data_dir(), "--until", "2026-02-01"});
  INFO(seeded.errors);
  REQUIRE(seeded.exit_code == 0);
  import(second_game_document);
}

void world::import(std::string_view document) const {
  const auto file = directory_.file("catalog.json", document);
  const auto imported = run({"import", "catalog", "--data-dir", data_dir(), file});
  INFO(imported.errors);
  REQUIRE(imported.exit_code == 0);
}

const world& shared_world() {
  static const world only;
  return only;
}

server::server(const arguments& flags, const world& in, const environment& added)
    : server{flags, in, added, {}} {}

server::server(const arguments& flags, const world& in, const environment& added,
               const output_descriptors& to)
    : tunnel_{tunnel_for(flags)}, process_{serve_arguments(flags, in, tunnel_.get()), added, to} {
  await_listeners();
}

server::server(const program_file& program, const arguments& flags, const world& in)
    : tunnel_{tunnel_for(flags)},
      process_{serve_arguments(flags, in, tunnel_.get()), {}, {}, program.path} {
  await_listeners();
}

void server::await_listeners() {
  constexpr std::string_view data_line = "listening on ";
  constexpr std::string_view take_over_line = "took over from process ";
  constexpr std::string_view ops_line = "ops plane on ";
  while (true) {
    const auto line = process_.next_line();
    INFO(process_.errors());
    REQUIRE(line);
    if (line->starts_with(take_over_line))
      predecessor_ = static_cast<pid_t>(std::stol(line->substr(take_over_line.size())));
    if (line->starts_with(data_line))
      data_.push_back(parse_address(line->substr(data_line.size())));
    if (!line->starts_with(ops_line)) continue;
    ops_ = parse_address(line->substr(ops_line.size()));
    ops_speaks_tls_ = line->starts_with("ops plane on https://");
    REQUIRE_FALSE(data_.empty());
    if (tunnel_) {
      tunnel_->lead_to(data_.front());
      data_.front() = tunnel_->where();
    }
    return;
  }
}

answer server::ask_ops_plane(std::string_view request) const {
  return ops_speaks_tls_ ? tls_client{ops_}.ask(request) : raw_connection{ops_}.ask(request);
}

double server::metric(const std::string& name) const {
  const auto text = ask_ops_plane("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").body;
  const auto at = ("\n" + text).find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 1));
}

int server::ready_status() const {
  return ask_ops_plane("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").status;
}

address waiting_ops_plane(const child_process& of) {
  const std::string before = "the ops plane on http://127.0.0.1:";
  REQUIRE(of.says(before));
  const auto text = of.errors();
  const auto port = std::stoul(text.substr(text.find(before) + before.size()));
  return {"127.0.0.1", static_cast<std::uint16_t>(port)};
}

std::string request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view headers) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
  text.append(headers);
  const bool has_body = method == "POST" || method == "PUT" || method == "PATCH";
  if (has_body || !body.empty())
    text.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
  return text.append("\r\n").append(body);
}

void raise_descriptor_limit() {
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = files.rlim_max;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
}

void check_serves(const address& to) {
  raw_connection client{to};
  const auto listed = client.ask(request("GET", regions_target));
  CHECK(listed.status == 200);
  CHECK(listed.body.starts_with(R"({"regions":[)"));
}

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
