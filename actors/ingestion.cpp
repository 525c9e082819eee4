#include "actors/ingestion.hpp"

#include <iterator>
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
          "The token was revoked, or has expired, while the body was on its way. Lines that were "
          "committed stay."};
}

base::error no_thread() {
  return {base::errc::overloaded,
          "As many ingests wait for the store as may. Lines that were committed stay: send all of "
          "them again later."};
}

/// Feeds parts into an ingest, and ends it after the last one. Runs on the pool.
ingest_advanced feed(lobby_ingest& into, const exchange_ref& exchange,
                     const std::vector<body_part>& parts, const ticket_ptr& of) {
  ingest_advanced done{exchange, 0, {}, {}};
  const auto fail = [&](base::error why) {
    done.failure = std::make_shared<const base::error>(std::move(why));
  };
  for (const auto& part : parts) {
    if (is_over(of)) return done;
    if (auto given = into.give(*part.bytes); !given) {
      fail(std::move(given).error());
      return done;
    }
    done.bytes += part.bytes->size();
    if (!part.is_last) continue;
    if (auto summary = into.finish())
      done.summary = std::make_shared<const std::string>(render(*summary));
    else
      fail(std::move(summary).error());
  }
  return done;
}

} // namespace

ingestion::ingestion(caf::actor_config& cfg, ingestion_settings settings)
    : supervised_actor{cfg,
                       {base::fault_point::ingestion_receive, base::fault_point::ingestion_reply}},
      settings_{std::move(settings)} {}

caf::behavior ingestion::make_behavior() {
  be_strict();
  return {
      serving<ingest_lobbies>([this](const ingest_lobbies& request) { handle(request); }),
      [this](const body_part& part) { on(part); },
      [this](const ingest_advanced& progress) { on(progress); },
      [this](const tokens_changed& news) { tokens_ = news.tokens; },
      [this](look_for_left) { drop_left(); },
  };
}

void ingestion::on_exit() {
  running_.clear();
  settings_.metrics->running.set(0);
}

ingestion::running_ingest* ingestion::find(const exchange_ref& exchange) {
  const auto found = running_.find(exchange.exchange);
  if (found == running_.end() || found->second.attempt != exchange.attempt) return nullptr;
  return &found->second;
}

void ingestion::handle(const ingest_lobbies& request) {
  if (is_over(request.ticket)) return;
  auto& made = running_[request.exchange.exchange];
  made = {};
  made.attempt = request.exchange.attempt;
  made.front = caf::actor_cast<caf::actor>(current_sender());
  made.ticket = request.ticket;
  if (request.by.what == model::audit_author::kind::token)
    made.token_id = model::parse_uuid(request.by.id);
  made.lines = std::make_shared<lobby_ingest>(*settings_.store, *settings_.metrics, request.by);
  settings_.metrics->running.set(static_cast<std::int64_t>(running_.size()));
  if (!std::exchange(ticking_, true)) delayed_send(this, settings_.tick, look_for_left{});
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

bool ingestion::is_allowed(const running_ingest& which) const {
  if (!which.token_id || !tokens_) return true;
  const auto* token = tokens_->find(*which.token_id);
  return token != nullptr && token->state(settings_.clock->unix_ms()) == model::token_state::active;
}

void ingestion::advance(std::uint64_t exchange, running_ingest& which) {
  if (which.busy || which.parts.empty()) return;
  std::vector<body_part> parts{std::make_move_iterator(which.parts.begin()),
                               std::make_move_iterator(which.parts.end())};
  which.parts.clear();
  // The task has the ticket, and with it the request's place in the mailbox, until it ends.
  which.busy = settings_.pool->submit(
      [self = caf::actor_cast<caf::actor>(this), lines = which.lines, parts = std::move(parts),
       ref = exchange_ref{exchange, which.attempt},
       ticket = which.ticket] { caf::anon_send(self, feed(*lines, ref, parts, ticket)); });
  if (!which.busy) fail(exchange, no_thread());
}

void ingestion::on(const ingest_advanced& progress) {
  auto* of = find(progress.exchange);
  if (of == nullptr) return;
  of->busy = false;
  if (progress.failure) return fail(progress.exchange.exchange, *progress.failure);
  if (progress.summary) {
    reply(of->front, json_made{progress.exchange, progress.summary}, of->ticket);
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
  settings_.metrics->running.set(static_cast<std::int64_t>(running_.size()));
}

void ingestion::drop_left() {
  std::erase_if(running_, [](const auto& each) { return is_over(each.second.ticket); });
  settings_.metrics->running.set(static_cast<std::int64_t>(running_.size()));
  ticking_ = !running_.empty();
  if (ticking_) delayed_send(this, settings_.tick, look_for_left{});
}

} // namespace matchcloud::actors
