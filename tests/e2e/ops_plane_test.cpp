// Health, metrics with their list in docs/metrics.md, and the figures of the process.
#include "base/owner.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/printed_part.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_client.hpp"

#include <httplib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

answer ask_plane(const server& of, const std::string& target, const std::string& host = "localhost",
                 const std::string& method = "GET") {
  raw_connection client{of.ops()};
  return client.ask(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
}

TEST_CASE("the ops plane tells that the server lives and is ready", "[operations]") {
  const auto& of = plain_server();
  const auto health = ask_plane(of, "/healthz");
  CHECK(health.status == 200);
  CHECK(health.body == R"({"status":"ok"})");
  const auto ready = ask_plane(of, "/readyz");
  CHECK(ready.status == 200);
  CHECK(ready.body == R"({"ready":true})");
}

TEST_CASE("counters move by what was asked", "[operations]") {
  const auto& of = plain_server();
  const auto answered = [&](const std::string& operation, const std::string& status) {
    return of.metric("matchcloud_requests_total{operation=\"" + operation + "\",status=\"" +
                     status + "\"}");
  };
  const auto listed = answered("list_regions", "200");
  const auto refused = answered("validate_group", "415");
  const auto unmatched = answered("unmatched", "404");
  const auto timed =
      of.metric("matchcloud_request_duration_seconds_count{operation=\"list_regions\"}");
  raw_connection client{of.data()};
  for (int i = 0; i < 5; ++i)
    client.ask(request("GET", regions_target));
  client.ask(request("POST", groups_target, good_group, "Content-Type: a/b\r\n"));
  client.ask(request("GET", "/nowhere"));
  CHECK(answered("list_regions", "200") == listed + 5);
  CHECK(answered("validate_group", "415") == refused + 1);
  CHECK(answered("unmatched", "404") == unmatched + 1);
  CHECK(of.metric("matchcloud_request_duration_seconds_count{operation=\"list_regions\"}") ==
        timed + 5);
}

/// The finding of this cause, once there is one.
rapidjson::Document finding_of(const server& of, std::string_view cause) {
  rapidjson::Document found;
  REQUIRE(eventually([&] {
    const auto all = parse_json(ask_plane(of, "/v1/attention").body);
    for (const auto& each : all["findings"].GetArray())
      if (text_at(each, "cause") == cause) found.CopyFrom(each, found.GetAllocator());
    return found.IsObject();
  }));
  return found;
}

TEST_CASE("failing uploads are found, by operation, status and code", "[operations]") {
  const server own{{"--enable-fault-injection"}};
  REQUIRE(own.ask_ops_plane(request("PUT", "/faults/ingestion.receive", R"({"kind":"error"})",
                                    "Content-Type: application/json\r\n"))
              .status == 200);
  const auto failed = own.ask_ops_plane(
      request("POST", "/v1/lobbies", "{}", "Content-Type: application/x-ndjson\r\n"));
  REQUIRE(failed.status >= 500);
  const auto status = std::to_string(failed.status);
  const auto finding = finding_of(own, "failed_requests");
  CHECK(finding["value"].GetInt() == 1);
  REQUIRE(finding["about"].Size() == 2);
  std::set<std::string> about;
  for (const auto& each : finding["about"].GetArray())
    for (const auto& [name, value] : each["of"].GetObject())
      about.insert(std::string{name.GetString()} + " " + value.GetString());
  CHECK(about == std::set<std::string>{"operation ingest_lobbies", "status " + status,
                                       "code " + failed.problem_code()});
  CHECK(text_at(finding, "look_at") == "/v1/traces?operation=ingest_lobbies");
}

// -- the list of metrics -----------------------------------------------------

/// A service of objects with a bucket that has nothing.
class empty_bucket {
public:
  empty_bucket() {
    serving_.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& reply) {
      reply.status = request.path == "/bucket" ? 200 : 404;
      return httplib::Server::HandlerResponse::Handled;
    });
    port_ = serving_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread{[this] { serving_.listen_after_bind(); }};
  }
  empty_bucket(const empty_bucket&) = delete;
  empty_bucket& operator=(const empty_bucket&) = delete;
  ~empty_bucket() { serving_.stop(); }

  arguments flags() const {
    return {"--objects", "s3://bucket", "--objects-endpoint",
            "http://127.0.0.1:" + std::to_string(port_), "--objects-path-style"};
  }

private:
  httplib::Server serving_;
  int port_ = 0;
  std::jthread thread_;
};

struct family {
  std::string help;
  std::string type;
  std::set<std::string> labels;
  /// How many samples it has.
  std::size_t values = 0;
};
using families = std::map<std::string, family>;

/// What an answer of /metrics has, but for the values.
families families_of(const std::string& text) {
  families all;
  std::istringstream lines{text};
  const std::regex label{"([a-z_]+)=\"[^\"]*\""};
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    const auto rest = [&](std::size_t from) { return line.substr(line.find(' ', from) + 1); };
    if (line.starts_with("# HELP ")) {
      last = line.substr(7, line.find(' ', 7) - 7);
      CAPTURE(last);
      CHECK(!all.contains(last));
      all[last].help = rest(7);
    } else if (line.starts_with("# TYPE ")) {
      all[last].type = rest(7);
    } else {
      CHECK(line.starts_with(last));
      ++all[last].values;
      for (std::sregex_iterator at{line.begin(), line.end(), label}, end; at != end; ++at)
        if ((*at)[1] != "le") all[last].labels.insert((*at)[1]);
    }
  }
  return all;
}

std::string table_of(const families& all) {
  std::string table = "| metric | type | labels | help |\n|---|---|---|---|\n";
  for (const auto& [name, each] : all) {
    std::string labels;
    for (const auto& label : each.labels)
      labels += (labels.empty() ? "`" : ", `") + label + "`";
    table += "| `" + name + "` | " + each.type + " | " + labels + " | " + each.help + " |\n";
  }
  return table;
}

/// Of a service that has everything.
const families& all_families() {
  static const families all = [] {
    const empty_bucket bucket;
    const server of{arguments{"--geoip", shared_world().geoip(), "--enable-fault-injection",
                              "--listen", "127.0.0.1:0/tls"} +
                        shared_files().flags() + bucket.flags(),
                    shared_world(),
                    {"AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret"}};
    // Of these families only samples that are not 0 are shown.
    of.ask_ops_plane("PUT /faults/avatar.receive HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Length: 16\r\n\r\n{\"kind\":\"error\"}");
    of.ask_ops_plane("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return families_of(of.ask_ops_plane("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").body);
  }();
  return all;
}

TEST_CASE("docs/metrics.md lists all metrics with their types, labels and helps",
          "[operations][tables]") {
  fixtures::check_table("docs/metrics.md", "metrics", table_of(all_families()));
}

TEST_CASE("metrics are named as Prometheus wants it, and their helps are sentences",
          "[operations]") {
  REQUIRE(all_families().size() > 80);
  for (const auto& [name, each] : all_families()) {
    CAPTURE(name, each.help);
    // Those of the process have the names that Prometheus' own clients give them.
    CHECK(std::regex_match(name, std::regex{"(matchcloud|process)_[a-z]+(_[a-z]+)*"}));
    CHECK(name.ends_with("_total") == (each.type == "counter"));
    CHECK(name.ends_with("_seconds") >= (each.type == "histogram"));
    CHECK((each.help.ends_with('.') && !std::islower(each.help.front())));
  }
}

TEST_CASE("every metric is there that a bound reads", "[operations]") {
  // One for each row of the table and each owner's mailbox: a bound whose metric is not there has
  // no sample.
  constexpr std::size_t bounds = 22;
  CHECK(all_families().at("matchcloud_bound_used_ratio").values == bounds + base::owner_count - 1);
}

TEST_CASE("every metric that a page names is there", "[operations]") {
  std::set<std::string> known;
  for (const auto& [name, each] : all_families()) {
    known.insert(name);
    if (each.type == "histogram")
      for (const auto* part : {"_bucket", "_sum", "_count"})
        known.insert(name + part);
  }
  const std::regex metric{"\\bmatchcloud_[a-z_]+"};
  for (const auto& page : std::filesystem::directory_iterator{fixtures::source_path("docs")}) {
    if (page.path().extension() != ".md") continue;
    const auto text = fixtures::read_whole(page.path());
    for (std::sregex_iterator at{text.begin(), text.end(), metric}, end; at != end; ++at) {
      const auto name = at->str();
      CAPTURE(page.path(), name);
      const auto found = known.lower_bound(name); // `matchcloud_tls_..` stands for several
      CHECK((found != known.end() &&
             (name.ends_with('_') ? found->starts_with(name) : *found == name)));
    }
  }
}

// -- figures of the process --------------------------------------------------

bool is_near(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(a, b);
}

TEST_CASE("the figures of the process are those of /proc", "[operations]") {
  const double begun = static_cast<double>(std::chrono::duration_cast<std::chrono::seconds>(
                                               std::chrono::system_clock::now().time_since_epoch())
                                               .count());
  const server of;
  const auto pid = of.process().pid();
  const auto proc = "/proc/" + std::to_string(pid);
  CHECK(std::abs(of.metric("process_start_time_seconds") - begun) < 30);
  CHECK(is_near(of.metric("process_resident_memory_bytes"),
                static_cast<double>(number_in_status(pid, "VmRSS")) * 1'024, 0.2));
  CHECK(is_near(of.metric("process_virtual_memory_bytes"),
                static_cast<double>(number_in_status(pid, "VmSize")) * 1'024, 0.2));
  const std::filesystem::directory_iterator open{proc + "/fd"};
  const auto descriptors = std::distance(begin(open), end(open));
  CHECK(std::abs(of.metric("process_open_fds") - static_cast<double>(descriptors)) <= 4);
  CHECK(of.metric("process_max_fds") >= of.metric("process_open_fds"));

  const auto seconds = [&] {
    std::ifstream file{proc + "/stat"};
    std::string word;
    double ticks = 0;
    for (int number = 1; file >> word; ++number) // utime and stime: proc(5)
      if (number == 14 || number == 15) ticks += std::stod(word);
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  };
  const auto least = seconds();
  const auto told = of.metric("process_cpu_seconds_total");
  CHECK(told >= least - 0.05);
  CHECK(told <= seconds() + 0.05);
}

TEST_CASE("how long loops waited for a processor is what the kernel says", "[operations]") {
  const server of{{"--loops", "1"}};
  const auto told = [&] { return of.metric(R"(matchcloud_loop_wait_seconds_total{loop="0"})"); };
  raw_connection client{of.data()};
  CHECK(eventually([&] { return client.ask(regions_request).status == 200 && told() > 0; }));
  const auto least = told();
  double all_s = 0;
  for (const auto& each : std::filesystem::directory_iterator{
           "/proc/" + std::to_string(of.process().pid()) + "/task"}) {
    std::ifstream file{each.path() / "schedstat"};
    double ran_ns = 0;
    double waited_ns = 0;
    if (file >> ran_ns >> waited_ns) all_s += waited_ns / 1e9;
  }
  CHECK(least <= all_s);
}

TEST_CASE("the disk of the data directory is measured, and its use is a bound",
          "[operations][embedded]") {
  const server of;
  struct statvfs at {};
  REQUIRE(::statvfs(shared_world().data_dir().c_str(), &at) == 0);
  const auto size = static_cast<double>(at.f_blocks) * static_cast<double>(at.f_frsize);
  const auto used = size - static_cast<double>(at.f_bavail) * static_cast<double>(at.f_frsize);
  CHECK(of.metric("matchcloud_data_directory_size_bytes") == size);
  CHECK(is_near(of.metric("matchcloud_data_directory_used_bytes"), used, 0.05));
  const auto share =
      of.metric(R"(matchcloud_bound_used_ratio{bound="data_directory",when_full="refuse"})");
  CHECK(is_near(share, used / size, 0.05));
}

} // namespace
