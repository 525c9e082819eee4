// The cost of hot operations in instructions, counted by callgrind: script/count runs this program
// and compares with bench/baseline.json. It has one thread and does the same work every time.
//
// callgrind counts only within `repeat` (--toggle-collect) and writes a file before each `finish`
// (--dump-before). The n-th line of the output that begins with "counted" says which operation the
// n-th file is about, and how often it ran.
#include "actors/region_ranking/region_ranking.hpp"
#include "base/faults.hpp"
#include "base/permit.hpp"
#include "bench/located_clients.hpp"
#include "bench/sample_requests.hpp"
#include "bench/validation_bodies.hpp"
#include "http/front/access_gate.hpp"
#include "http/front/routes.hpp"
#include "http/wire/request_framer.hpp"
#include "http/wire/response.hpp"
#include "model/access/new_token.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/lobbies/lobby_csv.hpp"
#include "model/regions/ranking.hpp"
#include "model/validation/validation.hpp"
#include "tests/fixtures/latency_reports.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::bench {

// callgrind finds these two functions by name, so they are visible and never inlined. There are two
// because callgrind does only one thing at each function.

[[gnu::noinline]] void repeat(const std::function<void()>& operation, std::size_t times) {
  for (std::size_t i = 0; i < times; ++i)
    operation();
}

[[gnu::noinline]] void finish(const char* name, std::size_t times) {
  std::printf("counted %s %zu\n", name, times);
}

namespace {

using benchmark::DoNotOptimize;

void counted(const char* name, std::size_t times, const std::function<void()>& operation) {
  // Warm up: work that happens only once (lazy binding, first growth of buffers) is not counted.
  for (int i = 0; i < 3; ++i)
    operation();
  repeat(operation, times);
  finish(name, times);
}

void count_framer(const char* name, const std::string& text, std::size_t piece, std::size_t times) {
  const http::framer_limits limits;
  http::request_framer framer{limits};
  http::request into;
  counted(name, times, [&] {
    http::framer_result framed;
    for (std::size_t at = 0; at < text.size(); at += piece)
      framed = framer.feed(std::string_view{text}.substr(at, piece), into);
    if (framed.status != http::framer_status::complete) throw std::logic_error{"not framed"};
    into.clear(16UL * 1024);
  });
}

void count_framing() {
  count_framer("framer/get", std::string{browser_get}, browser_get.size(), 1'000);
  const auto small = json_post("/cloud/groups/validate", group_body);
  count_framer("framer/post", small, small.size(), 1'000);
  const auto large = json_post(version_path, composed_config());
  count_framer("framer/post_8kB_in_pieces", large, piece_bytes, 100);
}

void count_response() {
  http::response answer;
  answer.content_type = http::json_type;
  answer.body = std::string(2'700, 'x');
  std::string out;
  counted("response/write", 1'000, [&] {
    out.clear();
    write_head(out, answer,
               {"0123456789abcdef0123456789abcdef", "Fri, 20 Nov 2026 05:52:31 GMT", true, false});
    answer.append_body(out);
    DoNotOptimize(out.data());
  });
}

void count_route() {
  counted("route/match", 1'000, [] { DoNotOptimize(http::find_route(version_path, "")); });
}

void count_validation() {
  const model::validation_rules rules;
  const auto names = model::default_reference_names();
  const auto config = composed_config();
  const auto validate = [&](model::payload_kind kind, std::string_view body) {
    DoNotOptimize(model::validate(kind, body, rules, names)->size());
  };
  counted("group/validate", 1'000, [&] { validate(model::payload_kind::group, group_body); });
  counted("validation/validate/8kB", 20, [&] { validate(model::payload_kind::version, config); });
}

/// A GeoIP file of 256 networks, each with its own location.
std::shared_ptr<const store::geoip> built_geoip() {
  const fixtures::temporary_directory folder;
  return store::geoip::of({opened(folder.file("built.mmdb", built_file(256)))});
}

/// Cycles through a table of clients, whose size is a power of two.
class clients {
public:
  const model::ip_address& next() { return all_[next_++ % count]; }

private:
  static constexpr std::size_t count = 1'024;
  std::vector<model::ip_address> all_ = random_addresses(count);
  std::size_t next_ = 0;
};

void count_geoip() {
  const auto geoip = built_geoip();
  clients all;
  counted("geoip/locate", 4'096, [&] { DoNotOptimize(geoip->locate(all.next())); });
}

void count_ranking() {
  auto snapshot =
      std::make_shared<const model::catalog>(model::merge({}, model::demo_catalog()).value());
  const auto regions = model::regions_of(*snapshot, nullptr);
  counted("ranking/order/12", 20, [&] {
    DoNotOptimize(model::rank_regions(regions, model::coordinates{51.5, -0.1}));
  });

  const auto fragments = std::make_shared<const model::region_fragments>(snapshot->regions);
  std::vector<model::listed_region> rows;
  for (std::size_t i = 0; i < regions.size(); ++i)
    rows.push_back({i, 1'234'567.8 * static_cast<double>(i)});
  counted("ranking/make_listing/12", 50, [&] {
    DoNotOptimize(model::region_listing{fragments, rows}.digest());
  });

  actors::ranking_settings settings;
  settings.geoip = built_geoip();
  actors::region_ranking_state ranking{settings, snapshot};
  clients all;
  for (int i = 0; i < 1'024; ++i)
    fixtures::rank(ranking, all.next());
  std::string out;
  counted("ranking/cached", 1'024, [&] {
    out.clear();
    fixtures::rank(ranking, all.next())->append_json(out);
    DoNotOptimize(out.data());
  });
}

void count_csv_row() {
  const model::lobby_attributes kind{*model::parse_uuid("6f6b9a52-1f2e-4c55-9b0e-2f7c1f6d8a02"),
                                     *model::parse_uuid("3c8c8d64-6a0f-4d5c-8f3a-5a3b6c7d8e03"),
                                     "fra",
                                     "basic-1d1",
                                     "1.4.2",
                                     "deathmatch"};
  const auto columns = model::csv_attribute_columns(kind, "prod", "Frankfurt");
  const model::time_span span{1'767'225'600'000, 1'767'312'000'000};
  model::history_lobby lobby{*model::parse_uuid("0b24cf2f-3d3d-4a17-8e2e-0d7d2f0d9a01"),
                             {1'767'225'600'000, 1'767'226'200'000},
                             &columns};
  std::string out;
  counted("lobby/csv_row", 1'000, [&] {
    out.clear();
    lobby.times.start_ts += 26;
    *lobby.times.stop_ts += 31;
    append_lobby_csv(out, lobby, span, 1'767'312'000'000);
    DoNotOptimize(out.data());
  });
}

void count_permit() {
  std::atomic<std::size_t> taken{0};
  counted("permit/take_and_give", 1'000, [&] {
    base::permit one;
    DoNotOptimize(one.acquire(taken, 1'000));
  });
}

void count_fault_point() {
  counted("fault_point/off", 1'000, [] {
    DoNotOptimize(static_cast<bool>(base::faults::strike(base::fault_point::avatar_receive)));
  });
}

/// Letting a listing of regions in: without a token, and with one, each counted against a limit.
void count_gate() {
  http::front_settings settings;
  settings.access.requires_tokens = true;
  settings.access.per_address.fill({1'000'000'000, 1});
  settings.access.per_token.fill({1'000'000'000, 1});
  http::access_gate gate{
      std::make_shared<const http::front_settings>(settings),
      std::make_shared<base::rate_limit_table>(262'144, base::siphash_key{1, 2})};
  model::new_token wanted;
  wanted.kind = model::token_kind::player;
  const auto made = model::make_token(wanted, "bench", 1);
  gate.set_tokens(std::make_shared<const model::token_list>(1, std::vector{made.token}));
  http::request head;
  head.method = http::method::get;
  head.target = "/matchmaker/regions";
  head.peer = *model::parse_ip_address("81.2.69.142");
  const auto admit = [&] {
    http::caller_facts caller;
    DoNotOptimize(gate.admit(head, caller).has_value());
  };
  counted("gate/anonymous", 1'000, admit);
  head.set(http::header::authorization, "Bearer " + made.text);
  counted("gate/token", 1'000, admit);
}

void count_all() {
  // The count for the same code differs between compilers.
#ifdef __clang__
  std::printf("compiler clang %s\n", __clang_version__);
#else
  std::printf("compiler g++ %s\n", __VERSION__);
#endif
  count_framing();
  count_response();
  count_route();
  count_gate();
  count_validation();
  count_geoip();
  count_ranking();
  count_csv_row();
  count_permit();
  count_fault_point();
}

/// Writes what script/count gives to a service: a GeoIP file and a version.
void write_inputs(const std::string& folder) {
  std::ofstream{folder + "/built.mmdb", std::ios::binary} << built_file(256);
  std::ofstream{folder + "/version.json"} << composed_config();
}

} // namespace
} // namespace matchcloud::bench

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::string_view{argv[1]} == "--inputs")
      matchcloud::bench::write_inputs(argv[2]);
    else
      matchcloud::bench::count_all();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_counted: %s\n", failure.what());
    return 1;
  }
  return 0;
}
