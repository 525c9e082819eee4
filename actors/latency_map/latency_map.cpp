#include "actors/latency_map/latency_map.hpp"

#include "base/events/log.hpp"
#include "base/failure.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

namespace matchcloud::actors {

namespace {

constexpr std::size_t pages_at_once = 4;
constexpr std::chrono::hours expiry_interval{1};
/// Latencies that were not reported for this long are removed: eight half-lives.
constexpr std::uint32_t kept_minutes = 8 * 7 * 24 * 60;

using base::value_of;
using entries = std::span<const model::learned_entry>;

// Both throw `base::failure`.

/// Adds all to the store, batch by batch. `learned` is then what could not be added.
void add_all(store::latency_store& in, entries& learned) {
  while (!learned.empty()) {
    const auto batch = learned.first(std::min(learned.size(), store::latency_batch_limit));
    value_of(in.add_latencies(batch));
    learned = learned.subspan(batch.size());
  }
}

/// Reads changes, a few pages at most.
void read_changes(store::latency_store& in, latencies_kept& into) {
  for (std::size_t page = 0; page < pages_at_once; ++page) {
    auto found = value_of(in.read_latencies(into.read, store::latency_batch_limit));
    into.has_more = found.entries.size() == store::latency_batch_limit;
    into.read = found.last;
    std::ranges::move(found.entries, std::back_inserter(into.changed));
    if (!into.has_more) break;
  }
}

/// The work of a task on the blocking pool.
latencies_kept keep_in(store::database& database, entries learned, store::latency_position read,
                       std::optional<std::uint32_t> expires_before, std::size_t most) {
  latencies_kept done;
  done.after = read;
  done.read = std::move(read);
  const auto kept = base::attempt([&] {
    const auto in = value_of(database.latencies());
    done.key = value_of(in->latency_key());
    add_all(*in, learned);
    read_changes(*in, done);
    if (expires_before)
      done.expires_more =
          value_of(in->expire_latencies(*expires_before, most)) >= store::latency_expiry_limit;
  });
  if (!kept) done.failure = kept.error();
  done.unkept.assign(learned.begin(), learned.end());
  return done;
}

} // namespace

latency_map::latency_map(caf::actor_config& cfg, const services& with,
                         latency_map_settings settings, const model::catalog_snapshot& catalog,
                         std::shared_ptr<const store::geoip> geoip)
    : supervised_actor{cfg,
                       {base::fault_point::latency_map_receive,
                        base::fault_point::latency_map_reply}},
      with_{&with},
      settings_{settings} {
  with_->latency_gate->free_places();
  with_->latencies->set_catalog(catalog);
  with_->latencies->set_geoip(std::move(geoip));
}

caf::behavior latency_map::make_behavior() {
  be_strict();
  delayed_send(this, publish_interval, publish_latencies{});
  keep();
  return {
      serving<report_latencies>([this](const report_latencies& request) { on(request); }),
      [this](const latencies_heard& heard) {
        with_->latency_gate->leave();
        wake();
        if (!with_->latencies->learns()) return;
        const auto made =
            with_->latencies->report(heard.client, heard.measured, with_->clock->unix_ms(), true,
                                     namespace_for(heard.origin_host, heard.namespace_id));
        if (made.outcome != latency_outcome::learned) with_->latency_gate->forget(heard.client);
      },
      [this](const catalog_changed& news) { with_->latencies->set_catalog(news.snapshot); },
      [this](const geoip_changed& news) { with_->latencies->set_geoip(news.geoip); },
      [this](const subscribers& listeners) {
        subscribers_ = listeners.members;
        if (!told_) return;
        for (const auto& listener : subscribers_)
          publish(listener, latencies_changed{told_});
      },
      [this](publish_latencies) { publish_news(); },
      [this](keep_latencies) { keep(); },
      [this](store_looked) {
        wake();
        if (const auto found = with_->latencies->look()->take()) on(*found);
      },
      [](const discarded&) {}, // freed with the message, on this thread
  };
}

const model::game_namespace*
latency_map::namespace_for(const std::string& origin_host,
                           const std::optional<model::uuid>& namespace_id) const {
  const auto& catalog = with_->latencies->catalog();
  const auto& preset = settings_.default_namespace;
  return catalog.namespace_of_client(namespace_id, origin_host,
                                     preset ? catalog.find_namespace(*preset) : nullptr);
}

void latency_map::on(const report_latencies& request) {
  latency_map_state::answer made;
  // A report that is not learned does not use up the client's interval.
  const auto* where = namespace_for(request.origin_host, request.namespace_id);
  auto& state = with_->latencies;
  auto& gate = with_->latency_gate;
  const bool knows_any = state->knows_any(request.measured, where);
  if (!state->learns()) {
    state->count(made.outcome = latency_outcome::learning_off);
  } else if (knows_any && !gate->takes(request.client)) {
    state->count(made.outcome = latency_outcome::too_soon);
  } else {
    made = state->report(request.client, request.measured, with_->clock->unix_ms(), false, where);
    if (knows_any && made.outcome != latency_outcome::learned) gate->forget(request.client);
  }
  reply(caf::actor_cast<caf::actor>(current_sender()),
        json_made{request.exchange, std::make_shared<const std::string>(model::to_json(made))},
        request.ticket);
}

void latency_map::publish_news() {
  const auto begun = with_->clock->now();
  auto known = with_->latencies->publish(with_->clock->unix_ms());
  if (known != told_) {
    told_ = std::move(known);
    for (const auto& listener : subscribers_)
      publish(listener, latencies_changed{told_});
  }
  const auto took = with_->clock->now() - begun;
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(took * publish_rest_factor);
  delayed_send(this, std::max(publish_interval, rest), publish_latencies{});
}

void latency_map::keep() {
  if (!with_->database) return;
  auto& state = *with_->latencies;
  // The result of a predecessor's task.
  if (const auto found = state.look()->take()) return on(*found);
  if (!state.look()->begin()) return delayed_send(this, settings_.keep_interval, keep_latencies{});
  std::optional<std::uint32_t> expires_before;
  if (const auto now = with_->clock->now(); now >= state.next_expiry) {
    const auto minute = with_->clock->unix_ms() / model::latency_minute_ms;
    expires_before = static_cast<std::uint32_t>(std::max<std::int64_t>(0, minute - kept_minutes));
    state.next_expiry = now + expiry_interval;
  }
  auto learned = std::make_shared<const std::vector<model::learned_entry>>(state.take_unkept());
  auto task = [self = caf::actor_cast<caf::actor>(this), database = with_->database, learned,
               look = state.look(), read = state.read(), expires_before,
               most = state.entry_limit()] {
    latencies_kept found;
    try {
      found = keep_in(*database, *learned, read, expires_before, most);
    } catch (const std::exception& what) { // mainly out of memory
      found = {};
      found.after = found.read = read;
      found.unkept = *learned;
      found.failure = base::error{base::errc::internal, what.what()};
    }
    look->end(std::move(found));
    caf::anon_send(self, store_looked{});
  };
  if (with_->store_work->submit(std::move(task))) return;
  state.look()->give_up();
  state.give_back(*learned);
  delayed_send(this, settings_.keep_interval, keep_latencies{});
}

void latency_map::on(const latencies_kept& found) {
  with_->latencies->apply(found);
  if (found.failure && !std::exchange(failing_, true))
    base::log(base::log_event::latencies_failed, "latencies: {}; they are kept in memory",
              base::to_string(*found.failure));
  failing_ = found.failure.has_value();
  if (found.expires_more) with_->latencies->next_expiry = {};
  if (found.has_more && !failing_) return keep();
  delayed_send(this, settings_.keep_interval, keep_latencies{});
}

base::expected<void> read_latencies(store::database& from, latency_map_state& into,
                                    const base::clock& clock, std::chrono::milliseconds at_most) {
  const auto until = clock.now() + at_most;
  while (true) {
    const auto found = keep_in(from, {}, into.read(), std::nullopt, 0);
    into.apply(found);
    if (found.failure) return tl::unexpected(*found.failure);
    if (!found.has_more || clock.now() >= until) return {};
  }
}

} // namespace matchcloud::actors
