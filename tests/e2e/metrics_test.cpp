// The list of all metrics: that of docs/metrics.md is that of a service that has everything.
#include "base/owner.hpp"
#include "tests/catch.hpp"
#include "tests/printed_part.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tls_files.hpp"

#include <httplib.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;

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

} // namespace
