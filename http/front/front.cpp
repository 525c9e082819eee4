#include "http/front/front.hpp"

#include "http/front/export_response.hpp"
#include "http/front/fault_header.hpp"
#include "http/front/media_response.hpp"
#include "http/front/regions_response.hpp"
#include "http/transport/refusals.hpp"
#include "http/wire/characters.hpp"
#include "http/wire/media_type.hpp"
#include "http/wire/query.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::http {

namespace {

using actors::exchange_ref;
using actors::handler;
using actors::injected_failure;
using actors::owner;

/// A page that measures may also read how long each part of a ping took (Resource Timing).
constexpr std::string_view ping_headers = "Access-Control-Allow-Origin: *\r\n"
                                          "Timing-Allow-Origin: *\r\n"
                                          "Cache-Control: no-store\r\n";
constexpr std::string_view ping_preflight_headers = "Access-Control-Allow-Origin: *\r\n"
                                                    "Access-Control-Allow-Methods: GET, HEAD\r\n"
                                                    "Access-Control-Allow-Headers: *\r\n"
                                                    "Access-Control-Max-Age: 86400\r\n";
constexpr std::string_view media_preflight_headers =
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Allow-Methods: GET, HEAD\r\n"
    "Access-Control-Allow-Headers: If-Match, If-None-Match, If-Range, Range, X-Request-Id\r\n"
    "Access-Control-Max-Age: 86400\r\n";

/// The host name of an `Origin` (`scheme://host[:port]`, RFC 6454), lower case.
std::string host_of_origin(std::string_view origin) {
  const auto scheme_end = origin.find("://");
  if (scheme_end == std::string_view::npos) return {};
  origin.remove_prefix(scheme_end + 3);
  const auto end = origin.starts_with('[') ? origin.find(']') + 1 : origin.find(':');
  std::string host{origin.substr(0, end)};
  std::transform(host.begin(), host.end(), host.begin(), to_lower);
  return host;
}

response no_content(std::string_view allow) {
  response answer;
  answer.status = 204;
  answer.headers.append("Allow: ").append(allow).append("\r\n");
  return answer;
}

template <class Bytes>
response json_response(Bytes&& body) {
  response answer;
  answer.content_type = json_type;
  answer.body = std::forward<Bytes>(body);
  return answer;
}

} // namespace

front::front(caf::actor_config& cfg, std::shared_ptr<const front_settings> settings,
             exchange_sink& sink)
    : resident{cfg, {base::fault_point::front_dispatch, base::fault_point::front_reply}},
      settings_{std::move(settings)},
      sink_{&sink},
      any_origin_{settings_->cors_origins == std::vector<std::string>{"*"}} {}

template <class Reply>
bool front::arrives(const Reply& reply, const request_ptr& asking) {
  const auto fares =
      fate_at(base::fault_point::front_reply, current_sender(), caf::make_message(reply), asking);
  if (fares == fate::fails)
    sink_->answer(reply.exchange, failure_answer(*asking, {reply.exchange, injected_failure()}));
  return fares == fate::arrives;
}

template <class Reply, class Make>
auto front::answering(Make make) {
  return [this, make](const Reply& reply) {
    auto asking = sink_->find(reply.exchange);
    if (!asking) return; // answered, or a later attempt is under way
    take_in_hand(asking, handler::front);
    if (base::faults::armed(base::fault_point::front_reply) && !arrives(reply, asking))
      return put_down(asking, handler::front);
    auto answer = make(*asking, reply);
    asking.reset(); // a transport reuses requests that nobody else holds
    sink_->answer(reply.exchange, std::move(answer));
  };
}

caf::behavior front::make_behavior() {
  be_strict();
  set_down_handler([this](caf::down_msg& down) {
    // What it held is dispatched again when the supervisor names its successor.
    for (auto& known : owners_)
      if (known && known.address() == down.source) known = nullptr;
  });
  return {
      [this](const dispatch& job) {
        take_in_hand(job.request, handler::front);
        if (arrives(job)) handle(job);
        put_down(job.request, handler::front);
        own_vitals().count_handled();
      },
      answering<actors::regions_ranked>(
          [this](const http::request& asking, const actors::regions_ranked& reply) {
            return regions_answer(asking, reply);
          }),
      answering<actors::payload_validated>(
          [](const http::request&, const actors::payload_validated& reply) {
            return json_response(reply.json);
          }),
      answering<actors::avatars_listed>(
          [](const http::request&, const actors::avatars_listed& reply) {
            auto answer = json_response(reply.json);
            answer.body_leased = true;
            return answer;
          }),
      answering<actors::media_opened>(media_response),
      answering<actors::lobbies_exported>(
          [](const http::request&, const actors::lobbies_exported& reply) {
            return json_response(reply.json);
          }),
      answering<actors::export_opened>(
          [](const http::request& asking, const actors::export_opened& reply) {
            return export_response(asking, *reply.file);
          }),
      answering<actors::operation_failed>(
          [this](const http::request& asking, const actors::operation_failed& reply) {
            return failure_answer(asking, reply);
          }),
      [this](const actors::owners& known) { take(known); },
  };
}

void front::on_exit() {
  for (auto& known : owners_) {
    if (known) demonitor(known.address());
    known = nullptr;
  }
}

void front::take(const actors::owners& known) {
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i] == known.by_role[i]) continue;
    owners_[i] = known.by_role[i];
    if (!owners_[i]) continue;
    monitor(owners_[i]);
    if (attached_) sink_->redispatch(static_cast<owner>(i));
  }
  // Attaching brings every unanswered exchange: only now can they go on to their owners.
  if (!std::exchange(attached_, true)) sink_->attach(caf::actor_cast<caf::actor>(this));
}

bool front::arrives(const dispatch& job) {
  const auto& asking = *job.request;
  if (asking.has(header::x_fault) && base::faults::any_armed())
    asking.named_faults.store(faults_named_in(asking.get(header::x_fault)),
                              std::memory_order_relaxed);
  if (!base::faults::armed(base::fault_point::front_dispatch)) return true;
  const auto fares =
      fate_at(base::fault_point::front_dispatch, nullptr, caf::make_message(job), job.request);
  if (fares == fate::fails) fail(job, operation::unmatched, injected_failure());
  return fares == fate::arrives;
}

void front::handle(const dispatch& job) {
  const auto& asking = *job.request;
  if (asking.method == method::other)
    return fail(job, operation::unmatched, method_not_implemented(asking.method_token));
  if (asking.target == "*")
    return sink_->answer(job.exchange, no_content("GET, HEAD, POST, OPTIONS"));

  auto where = find_route(asking.path(), settings_->base_path);
  if (!where) return fail(job, operation::unmatched, where.error());
  if (!where->allows(asking.method)) {
    const std::string allow{where->allow()};
    return fail(job, where->operation,
                {base::errc::method_not_allowed,
                 "This path takes " + allow + ", not " + asking.method_token + "."},
                "Allow: " + allow + "\r\n");
  }
  if (asking.method == method::options) return preflight(job, *where);

  switch (where->operation) {
  case operation::list_regions: return list_regions(job);
  case operation::ping: return ping(job);
  case operation::validate_version: return validate(job, *where, model::payload_kind::version);
  case operation::validate_game: return validate(job, *where, model::payload_kind::game);
  case operation::validate_group: return validate(job, *where, model::payload_kind::group);
  case operation::list_avatars: return list_avatars(job, *where);
  case operation::download_media: return download_media(job, *where);
  case operation::export_lobby_history: return export_lobbies(job, *where);
  case operation::download_export: return download_export(job, *where);
  case operation::unmatched: break;
  }
  fail(job, operation::unmatched, {base::errc::internal, "A route without an operation."});
}

void front::preflight(const dispatch& job, const route& where) {
  sink_->routed(job.exchange, where.operation, owner::none);
  auto answer = no_content(where.allow());
  const auto& asking = *job.request;
  if (where.operation == operation::list_regions && asking.has(header::origin)) {
    answer.headers.append(cors_headers(asking));
    if (may_read(asking))
      answer.headers.append(
          "Access-Control-Allow-Methods: GET, HEAD\r\n"
          "Access-Control-Allow-Headers: Authorization, If-None-Match, X-Request-Id\r\n"
          "Access-Control-Max-Age: 86400\r\n");
  }
  if (where.operation == operation::download_media && asking.has(header::origin))
    answer.fixed_headers = media_preflight_headers;
  if (where.operation == operation::ping) answer.fixed_headers = ping_preflight_headers;
  sink_->answer(job.exchange, std::move(answer));
}

void front::list_regions(const dispatch& job) {
  const auto& asking = *job.request;
  auto measured = read_rtt(job);
  if (!measured) return;
  actors::rank_regions message{
      job.exchange,
      client_address(asking.peer, asking.get(header::x_forwarded_for),
                     asking.get(header::forwarded), settings_->proxies),
      asking.has(header::origin) ? host_of_origin(asking.get(header::origin)) : std::string{},
      *std::move(measured), job.request};
  forward(job, operation::list_regions, owner::region_ranking, std::move(message));
}

std::optional<std::vector<model::measured_latency>> front::read_rtt(const dispatch& job) {
  const auto rtt = find_parameter(job.request->query(), "rtt");
  if (!rtt.value) return std::vector<model::measured_latency>{};
  const auto refuse = [&](const base::error& why) {
    fail(job, operation::list_regions, why);
    return std::nullopt;
  };
  if (rtt.repeated)
    return refuse({base::errc::query_invalid,
                   "rtt is in the query twice. Write it once, regions separated by commas."});
  const auto text = percent_decode(*rtt.value);
  if (!text)
    return refuse({base::errc::query_invalid,
                   "A percent sign in rtt is not followed by two hexadecimal digits of a visible "
                   "character. Write rtt=lon:23,fra:31.5."});
  auto measured = model::read_measured_latencies(*text);
  if (!measured) return refuse(measured.error());
  return *std::move(measured);
}

void front::ping(const dispatch& job) {
  sink_->routed(job.exchange, operation::ping, owner::none);
  http::response answer;
  answer.status = 204;
  answer.fixed_headers = ping_headers;
  sink_->answer(job.exchange, std::move(answer));
}

std::optional<model::uuid> front::read_game_id(const dispatch& job, const route& where) {
  auto game_id = model::parse_uuid(where.game_id);
  if (!game_id)
    fail(job, where.operation,
         {base::errc::id_malformed, "The game_id in the path is not a UUID. Write it with dashes, "
                                    "as 00000000-0000-4000-8000-000000000001."});
  return game_id;
}

void front::list_avatars(const dispatch& job, const route& where) {
  const auto game_id = read_game_id(job, where);
  if (!game_id) return;
  actors::list_avatars message{job.exchange, *game_id, job.request};
  forward(job, where.operation, actors::avatar_shard_of(*game_id), std::move(message));
}

void front::validate(const dispatch& job, const route& where, model::payload_kind kind) {
  const auto& asking = *job.request;
  actors::validate_payload message{
      job.exchange, kind, {}, {job.request, &asking.body}, job.request};
  if (kind == model::payload_kind::version) {
    const auto game_id = read_game_id(job, where);
    if (!game_id) return;
    message.game_id = *game_id;
  }
  if (!check_is_json(job, where.operation)) return;
  const auto to =
      asking.body.size() > actors::large_body_bytes ? owner::large_validator : owner::validator;
  forward(job, where.operation, to, std::move(message));
}

bool front::check_is_json(const dispatch& job, operation asked) {
  const auto& asking = *job.request;
  // An empty value names no type (RFC 9110 section 8.3): it says as much as none.
  const auto& type = asking.get(header::content_type);
  if (type.empty() || is_json(type)) return true;
  fail(job, asked,
       {base::errc::media_type_unsupported, "The body must be JSON, not " + type.substr(0, 64) +
                                                ". Send Content-Type: application/json, or none."});
  return false;
}

void front::export_lobbies(const dispatch& job, const route& where) {
  const auto game_id = read_game_id(job, where);
  if (!game_id || !check_is_json(job, where.operation)) return;
  const auto& asking = *job.request;
  if (asking.body.size() > export_body_limit_bytes)
    return fail(job, where.operation,
                {base::errc::body_too_large, "The body has " + std::to_string(asking.body.size()) +
                                                 " bytes; this one takes " +
                                                 std::to_string(export_body_limit_bytes) +
                                                 ". Send query_start and query_end alone."});
  actors::export_lobbies message{job.exchange, *game_id, {job.request, &asking.body}, job.request};
  forward(job, where.operation, owner::lobby_export, std::move(message));
}

void front::download_export(const dispatch& job, const route& where) {
  const auto export_id = model::parse_uuid(where.export_id);
  if (!export_id)
    return fail(job, where.operation,
                {base::errc::id_malformed,
                 "The export's id in the path is not a UUID. Use the whole url that "
                 "export-history answered."});
  const auto& asking = *job.request;
  const auto link = read_export_link(asking.query());
  if (!link)
    return fail(job, where.operation,
                {base::errc::signature_invalid,
                 "The URL needs expires and signature, each once, as export-history answered "
                 "them. Quote it in a shell: it has an & in it."});
  forward(job, where.operation, owner::export_download,
          actors::open_export{job.exchange, *export_id, link->expires_s,
                              std::string{link->signature}, may_be_compressed(asking),
                              job.request});
}

void front::download_media(const dispatch& job, const route& where) {
  const auto upload_id = model::parse_uuid(where.upload_id);
  if (!upload_id)
    return fail(job, where.operation,
                {base::errc::id_malformed,
                 "The upload_id in the path is not a UUID. Take the whole url of an avatar from "
                 "the game's list."});
  const auto name = model::parse_image_name(where.file_name);
  if (!name)
    return fail(job, where.operation,
                {base::errc::media_not_found,
                 "No image has such a name: it is 32 lower-case hexadecimal digits and .png or "
                 ".jpg. Take the whole url of an avatar from the game's list."});
  forward(job, where.operation, owner::media,
          actors::open_media{job.exchange, {*upload_id, *name}, job.request});
}

template <class Message>
void front::forward(const dispatch& job, operation asked, owner to, Message&& message) {
  if (!sink_->routed(job.exchange, asked, to)) return fail(job, asked, mailbox_full());
  const auto& address = owners_[static_cast<std::size_t>(to)];
  if (address) send(address, std::forward<Message>(message));
}

void front::fail(const dispatch& job, operation asked, const base::error& what,
                 std::string headers) {
  sink_->routed(job.exchange, asked, owner::none);
  auto answer = problem(what, job.request->id);
  answer.headers = std::move(headers);
  answer.headers += cors_headers_of(asked, *job.request);
  sink_->answer(job.exchange, std::move(answer));
}

response front::regions_answer(const http::request& asking, const actors::regions_ranked& reply) {
  auto answer = regions_response(asking, reply.listing, any_origin_);
  if (!any_origin_ && may_read(asking))
    answer.headers.append("Access-Control-Allow-Origin: ")
        .append(asking.get(header::origin))
        .append("\r\n");
  return answer;
}

response front::failure_answer(const http::request& asking, const actors::operation_failed& reply) {
  auto answer = problem(reply.error, asking.id);
  if (const auto where = find_route(asking.path(), settings_->base_path))
    answer.headers = cors_headers_of(where->operation, asking);
  return answer;
}

std::string front::cors_headers_of(operation asked, const http::request& asking) const {
  if (asked == operation::list_regions) return cors_headers(asking);
  const bool open = asked == operation::download_media || asked == operation::ping;
  return open ? std::string{any_origin_header} : std::string{};
}

bool front::may_read(const http::request& asking) const {
  if (any_origin_) return true;
  const auto& origin = asking.get(header::origin);
  const auto& allowed = settings_->cors_origins;
  return !origin.empty() && std::find(allowed.begin(), allowed.end(), origin) != allowed.end();
}

std::string front::cors_headers(const http::request& asking) const {
  if (any_origin_) return std::string{any_origin_header};
  if (!may_read(asking)) return "Vary: Origin\r\n";
  return "Access-Control-Allow-Origin: " + asking.get(header::origin) + "\r\nVary: Origin\r\n";
}

} // namespace matchcloud::http
