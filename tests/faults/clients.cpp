#include "tests/faults/clients.hpp"

#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/json.hpp"

#include <cstdlib>
#include <iostream>
#include <utility>

namespace matchcloud::faults {

void busy_clients::add(std::function<void()> turn) {
  threads_.emplace_back([this, turn = std::move(turn)] { work(turn); });
}

void busy_clients::work(const std::function<void()>& turn) {
  try {
    while (!finishing_)
      turn();
  } catch (const wrong_answer& wrong) {
    note(wrong.what());
  } catch (const std::exception& gone) {
    if (!may_be_gone_) note(gone.what());
  }
}

void busy_clients::note(const std::string& what) {
  const std::lock_guard lock{mutex_};
  if (wrong_.empty()) wrong_ = what;
}

bool busy_clients::is_wrong() {
  const std::lock_guard lock{mutex_};
  return !wrong_.empty();
}

std::string busy_clients::finish() {
  finishing_ = true;
  for (auto& each : threads_)
    each.join();
  threads_.clear();
  return wrong_;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr && *given != '\0' ? std::stoull(given) : otherwise;
}

chances::chances(const char* test) {
  std::random_device source;
  const auto seed = setting("MATCHCLOUD_SEED", source());
  std::cout << "faults: " << test << ": MATCHCLOUD_SEED=" << seed << std::endl;
  engine_.seed(seed);
}

std::uint64_t chances::between(std::uint64_t least, std::uint64_t most) {
  return std::uniform_int_distribution<std::uint64_t>{least, most}(engine_);
}

std::chrono::milliseconds chances::up_to(std::chrono::milliseconds most) {
  return std::chrono::milliseconds{between(0, static_cast<std::uint64_t>(most.count()))};
}

using e2e::address;
using e2e::answer;
using e2e::raw_connection;

answer get(const address& from, const std::string& target, bool gzip) {
  raw_connection client{from};
  return client.ask(e2e::request("GET", target, {}, gzip ? "Accept-Encoding: gzip\r\n" : ""));
}

std::string unpacked(const answer& got) {
  return got.header("content-encoding") == "gzip" ? fixtures::inflated(got.body) : got.body;
}

answer ask_export(const address& of, std::string_view game_id, std::uint64_t end) {
  raw_connection client{of};
  return client.ask(e2e::request(
      "POST", "/cloud/games/" + std::string{game_id} + "/matchmaker/lobbies/export-history",
      R"({"query_start":0,"query_end":)" + std::to_string(end) + "}"));
}

std::string download_target(const answer& exported) {
  if (exported.status != 200) return {};
  const auto url = e2e::text_at(e2e::parse_json(exported.body), "url");
  const auto path = url.find("/exports/");
  return path == std::string::npos ? std::string{} : url.substr(path);
}

answer ask_ops(const address& ops, const std::string& method, const std::string& target,
               const std::string& body) {
  auto text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  raw_connection client{ops};
  return client.ask(text + "\r\n" + body);
}

answer ingest(const address& ops, const std::string& lines) {
  return ask_ops(ops, "POST", "/v1/lobbies", lines);
}

std::string upload_id(std::uint64_t number) {
  const auto digits = std::to_string(number);
  return "20000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

answer put_region(const address& ops, const std::string& region_id, const std::string& name) {
  return ask_ops(ops, "PUT", "/v1/regions/" + region_id,
                 R"({"region_display_name":")" + name +
                     R"(","provider_display_name":"P","datacenter_coord":)" +
                     R"({"latitude":1.5,"longitude":-2}})");
}

std::string region_name(const address& ops, const std::string& region_id) {
  return e2e::text_at(e2e::parse_json(ask_ops(ops, "GET", "/v1/regions/" + region_id).body),
                      "region_display_name");
}

} // namespace matchcloud::faults
