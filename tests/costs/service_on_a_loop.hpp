#pragma once

#include "app/node/child_specs.hpp"
#include "http/transport/listener.hpp"
#include "http/transport/loop_transport.hpp"
#include "model/access/new_token.hpp"
#include "model/catalog/catalog_document.hpp"
#include "store/geoip/source_files.hpp"
#include "tests/catch.hpp"
#include "tests/costs/counted_calls.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace matchcloud::costs {

/// The demo's catalog, plus the regions that the real configurations of the validation tests name.
inline model::catalog_snapshot known_catalog() {
  model::catalog_document further;
  for (const auto* id : {"atl", "lnd-atl", "lnd-fra", "lnd-sfo"})
    further.regions.push_back({id, id, "Demo Cloud", {50, 8}});
  const auto demo = model::merge({}, model::demo_catalog()).value();
  return std::make_shared<const model::catalog>(model::merge(demo, further).value());
}

/// A GeoIP database that knows the location of 81.2.69.0/24 only.
inline std::shared_ptr<const store::geoip> small_geoip() {
  fixtures::mmdb_builder builder;
  builder.add_v4({81, 2, 69, 0}, 24, fixtures::mmdb_nested_record(51.5, -0.1));
  const fixtures::temporary_directory folder;
  auto file = store::mmdb_file::open(folder.file("small.mmdb", builder.build()));
  REQUIRE(file);
  return store::geoip::of({*std::move(file)});
}

/// Whether tokens are read, and counted.
enum class access : std::uint8_t { open, by_token };

/// One event loop on its own thread with the actors that reside there in the program: transport,
/// front, region_ranking and validator, wired by `app::child_specs_of` like the program's.
class service_on_a_loop {
public:
  explicit service_on_a_loop(access how = access::open) : settings_{settings_for(how)} {
    gate_->set_tokens(std::make_shared<const model::token_list>(
        1, std::vector<model::access_token>{token_.token}));
    auto bound = http::listen_on(
        {model::ip_address::from_v4(std::array<std::uint8_t, 4>{127, 0, 0, 1}), 0}, 1, 16);
    REQUIRE(bound);
    port_ = bound->where.port;
    auto socket = std::make_shared<base::file_descriptor>(std::move(bound->sockets.front()));
    on_loop([&] {
      transport_.acceptor().listen(std::move(*socket));
      count_this_thread();
    });
    spawn_residents();
  }

  /// Ends the residents while their loop still runs, as the program does.
  ~service_on_a_loop() {
    on_loop([this] { transport_.end_now(); });
    for (auto& each : residents_) {
      std::promise<void> ended;
      each->attach_functor([&ended] { ended.set_value(); });
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
      each = nullptr;
      ended.get_future().wait();
    }
    loop_.stop();
    thread_.join();
  }

  service_on_a_loop(const service_on_a_loop&) = delete;
  service_on_a_loop& operator=(const service_on_a_loop&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  /// The header line of a player's token.
  std::string authorization() const { return "Authorization: Bearer " + token_.text; }
  const model::uuid& game_id() const { return catalog_->games.front().game_id; }

  /// The loop thread's counts so far. The query itself wakes the loop, which reads its eventfd: one
  /// more wait and one other call.
  call_counts counts() {
    call_counts now;
    on_loop([&now] { now = counts_of_this_thread(); });
    return now;
  }

  /// Runs `job` on the loop's thread and waits for its end.
  void on_loop(const std::function<void()>& job) {
    std::promise<void> done;
    loop_.post([&] {
      job();
      done.set_value();
    });
    done.get_future().wait();
  }

private:
  struct sharing_config : caf::actor_system_config {
    sharing_config() {
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", 2);
    }
  };

  /// Spawns those of the program's child specs whose actors reside on the loop and are measured.
  void spawn_residents() {
    auto node = std::make_shared<app::node_layout>();
    node->system = &system_;
    node->services = &services_;
    node->loops.push_back({&loop_, &transport_.exchanges(), gate_, &ranking_metrics_});

    actors::owners known{std::vector<caf::actor>(base::owner_count)};
    const actors::initial_state now{catalog_, small_geoip()};
    for (const auto& each : app::child_specs_of(node)) {
      if (each.loop == actors::child_spec::every_loop || each.role == base::owner::media ||
          each.role == base::owner::avatar)
        continue;
      residents_.push_back(each.start(now));
      if (each.what == actors::child_spec::kind::owner)
        known.by_role[index_of(each.role)] = residents_.back();
    }
    caf::anon_send(residents_.back(), std::move(known)); // the front is the last child of a loop
  }

  /// Settings with limits that count and never refuse.
  static std::shared_ptr<const http::front_settings> settings_for(access how) {
    http::front_settings settings;
    settings.proxies.trusted_proxies.push_back(*model::parse_cidr("127.0.0.0/8"));
    settings.access.requires_tokens = how == access::by_token;
    settings.access.per_address.fill({1'000'000'000, 1});
    settings.access.per_token.fill({1'000'000'000, 1});
    return std::make_shared<const http::front_settings>(settings);
  }

  static model::issued_token player_token() {
    model::new_token wanted;
    wanted.kind = model::token_kind::player;
    return model::make_token(wanted, "test", 1);
  }

  std::shared_ptr<const http::front_settings> settings_;
  model::issued_token token_ = player_token();
  std::shared_ptr<http::access_gate> gate_ = std::make_shared<http::access_gate>(
      settings_, std::make_shared<base::rate_limit_table>(262'144));
  // Messages hold requests, and requests point to these members: declared before the actors to
  // outlive them.
  http::shared_bounds bounds_{http::limits{}, {}};
  http::transport_metrics metrics_;
  actors::ranking_metrics ranking_metrics_;
  actors::services services_;
  model::catalog_snapshot catalog_ = known_catalog();
  sharing_config config_;
  caf::actor_system system_{config_};
  base::thread_pool pool_{1, 0};
  http::event_loop loop_{system_, base::machine_clock()};
  http::loop_transport transport_{loop_, base::machine_clock(), pool_, bounds_, gate_, metrics_, 1,
                                  [] {}};
  std::thread thread_{[this] { loop_.run(); }};
  std::vector<caf::actor> residents_;
  std::uint16_t port_ = 0;
};

} // namespace matchcloud::costs
