#include "actors/ingestion/ingestion.hpp"

#include "actors/news/messages.hpp"
#include "model/net/ip_address.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::actors {

namespace {

base::error part_missing() {
  return {base::errc::unavailable,
          "A part of the body was lost within the service. Send all of it again: lines that were "
          "committed stay and do no harm."};
}

base::error no_longer_allowed() {
  return {base::errc::not_permitted,
          "The token was revoked or expired while the body was being sent. Lines that were "
          "committed stay. Send all of them again with a valid token."};
}

base::error no_thread() {
  return {base::errc::overloaded, "Too many ingests are waiting for the store. Lines that were "
                                  "committed stay; send all of them again later."};
}

base::error over_share(const model::audit_author& by, std::size_t share, std::size_t places) {
  using kind = model::audit_author::kind;
  const std::string_view whose = by.what == kind::token         ? "token"
                                 : by.what == kind::certificate ? "client certificate"
                                                                : "address";
  return {base::errc::overloaded,
          "This " + std::string{whose} +
              " already has its share of the ingests that the service accepts at once (" +
              std::to_string(share) + " of " + std::to_string(places) +
              " while more than half of the places are taken; ingest-share-percent). Send fewer at "
              "a time, and retry this one after the time in Retry-After."};
}

base::error too_slow(std::size_t least_rate) {
  return {base::errc::body_timeout,
          "The body arrived at less than " + std::to_string(least_rate) +
              " bytes a second (ingest-least-rate) while more than half of the places for ingests "
              "were taken. Lines that were committed stay: send all of them again, without "
              "pauses."};
}

/// Feeds parts into an ingest, and ends it after the last one. Runs on the pool.
ingest_advanced feed(lobby_ingest& into, const exchange_ref& exchange,
                     const std::vector<body_part>& parts, const ticket_ptr& of) {
  const traced_step step{of.get(), "store"};
  ingest_advanced done{exchange, 0, {}, {}};
  const auto fail = [&](base::error why) {
    done.failure = std::make_shared<const base::error>(std::move(why));
  };
  for (const auto& part : parts) {
    if (is_over(of)) return done;
    if (auto given = into.feed(*part.bytes); !given) {
      fail(std::move(given).error());
      return done;
    }
    done.bytes += part.bytes->size();
    if (!part.is_last) continue;
    const auto summary = into.finish();
    if (!summary) {
      fail(summary.error());
      return done;
    }
    done.summary = std::make_shared<const std::string>(model::to_json(*summary));
    done.status = status_of(*summary);
  }
  return done;
}

} // namespace

ingestion::ingestion(caf::actor_config& cfg, const services& with, ingestion_settings settings)
    : supervised_actor{cfg,
                       {base::fault_point::ingestion_receive, base::fault_point::ingestion_reply}},
      with_{&with},
      settings_{std::move(settings)} {}

caf::behavior ingestion::make_behavior() {
  be_strict();
  return {
      serving<ingest_lobbies>([this](const ingest_lobbies& request) { handle(request); }),
      [this](const body_part& part) { on(part); },
      [this](const ingest_advanced& progress) { on(progress); },
      [this](const tokens_changed& news) { tokens_ = news.tokens; },
      [this](check_stalled) { drop_stalled(); },
  };
}

void ingestion::on_exit() {
  running_.clear();
  with_->ingestion_metrics->running.set(0);
}

ingestion::running_ingest* ingestion::find(const exchange_ref& exchange) {
  const auto found = running_.find(exchange.exchange);
  if (found == running_.end() || found->second.attempt != exchange.attempt) return nullptr;
  return &found->second;
}

void ingestion::handle(const ingest_lobbies& request) {
  auto author = sender_of(request.by);
  if (is_crowded()) {
    const auto own = std::ranges::count_if(
        running_, [&](const auto& each) { return each.second.sender == author; });
    if (static_cast<std::size_t>(own) >= share()) {
      with_->ingestion_metrics->over_share.add();
      return reply(
          caf::actor_cast<caf::actor>(current_sender()),
          operation_failed{request.exchange, over_share(request.by, share(), settings_.places)},
          request.ticket);
    }
  }
  auto& made = running_[request.exchange.exchange];
  made = {};
  made.attempt = request.exchange.attempt;
  made.front = caf::actor_cast<caf::actor>(current_sender());
  made.ticket = request.ticket;
  made.sender = std::move(author);
  made.begun = with_->clock->now();
  if (request.by.what == model::audit_author::kind::token)
    made.token_id = model::parse_uuid(request.by.id);
  made.lines = std::make_shared<lobby_ingest>(*with_->ingest_store, *with_->ingestion_metrics,
                                              request.by, settings_.ignored_members);
  with_->ingestion_metrics->running.set(static_cast<std::int64_t>(running_.size()));
  if (!std::exchange(ticking_, true)) delayed_send(this, settings_.tick, check_stalled{});
  if (request.has_body)
    send(made.front, body_credit{request.exchange, settings_.credit_bytes});
  else
    on(body_part{request.exchange, 0, std::make_shared<const std::string>(), true});
}

void ingestion::on(const body_part& part) {
  auto* to = find(part.exchange);
  if (to == nullptr) return;
  if (!is_allowed(*to)) return fail(part.exchange.exchange, no_longer_allowed());
  if (part.offset != to->received_bytes) return fail(part.exchange.exchange, part_missing());
  to->received_bytes += part.bytes->size();
  to->parts.push_back(part);
  advance(part.exchange.exchange, *to);
}

std::size_t ingestion::share() const noexcept {
  return std::max<std::size_t>(1, settings_.places * settings_.share_percent / 100);
}

std::string ingestion::sender_of(const model::audit_author& by) const {
  switch (by.what) {
  case model::audit_author::kind::token: return "token " + by.id;
  case model::audit_author::kind::certificate: return "certificate " + by.name;
  default: break;
  }
  const auto address = model::parse_ip_address(by.address);
  return address ? model::to_string(model::prefix_of(*address, settings_.ipv6_client_prefix))
                 : by.address;
}

bool ingestion::is_allowed(const running_ingest& which) const {
  if (!which.token_id || !tokens_) return true;
  const auto* token = tokens_->find(*which.token_id);
  return token != nullptr && token->state(with_->clock->unix_ms()) == model::token_state::active;
}

void ingestion::advance(std::uint64_t exchange, running_ingest& which) {
  if (which.busy || which.parts.empty()) return;
  std::vector<body_part> parts{std::make_move_iterator(which.parts.begin()),
                               std::make_move_iterator(which.parts.end())};
  which.parts.clear();
  which.busy_since = with_->clock->now();
  // The task has the ticket, and with it the request's place in the mailbox, until it ends.
  which.busy = with_->ingesting->submit(
      [self = caf::actor_cast<caf::actor>(this), lines = which.lines, parts = std::move(parts),
       ref = exchange_ref{exchange, which.attempt},
       ticket = which.ticket] { caf::anon_send(self, feed(*lines, ref, parts, ticket)); });
  if (!which.busy) fail(exchange, no_thread());
}

void ingestion::on(const ingest_advanced& progress) {
  auto* of = find(progress.exchange);
  if (of == nullptr) return;
  of->busy = false;
  of->worked += with_->clock->now() - of->busy_since;
  if (progress.failure) return fail(progress.exchange.exchange, *progress.failure);
  if (progress.summary) {
    reply(of->front, json_made{progress.exchange, progress.summary, false, progress.status},
          of->ticket);
    return end(progress.exchange.exchange);
  }
  send(of->front, body_credit{progress.exchange, progress.bytes});
  advance(progress.exchange.exchange, *of);
}

void ingestion::fail(std::uint64_t exchange, const base::error& why) {
  const auto& of = running_.at(exchange);
  reply(of.front, operation_failed{{exchange, of.attempt}, why}, of.ticket);
  end(exchange);
}

void ingestion::end(std::uint64_t exchange) {
  running_.erase(exchange);
  with_->ingestion_metrics->running.set(static_cast<std::int64_t>(running_.size()));
}

bool ingestion::is_slow(const running_ingest& which, base::steady_time now) const {
  if (which.busy) return false;
  const auto client_time = now - which.begun - which.worked;
  if (client_time <= pace_patience) return false;
  const std::chrono::duration<double> seconds = client_time;
  return static_cast<double>(which.received_bytes) <
         static_cast<double>(settings_.least_rate) * seconds.count();
}

void ingestion::end_slow() {
  const auto now = with_->clock->now();
  std::vector<std::uint64_t> slow;
  for (const auto& [exchange, each] : running_)
    if (is_slow(each, now)) slow.push_back(exchange);
  for (const auto exchange : slow) {
    with_->ingestion_metrics->too_slow.add();
    fail(exchange, too_slow(settings_.least_rate));
  }
}

void ingestion::drop_stalled() {
  std::erase_if(running_, [](const auto& each) { return is_over(each.second.ticket); });
  if (is_crowded()) end_slow();
  with_->ingestion_metrics->running.set(static_cast<std::int64_t>(running_.size()));
  ticking_ = !running_.empty();
  if (ticking_) delayed_send(this, settings_.tick, check_stalled{});
}

} // namespace matchcloud::actors
