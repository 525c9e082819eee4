#include "http/front/front.hpp"

#include "http/front/export_response.hpp"
#include "http/front/fault_header.hpp"
#include "http/front/media_response.hpp"
#include "http/front/regions_response.hpp"
#include "http/transport/refusals.hpp"
#include "http/wire/characters.hpp"
#include "http/wire/media_type.hpp"
#include "http/wire/query.hpp"
#include "http/wire/request_errors.hpp"
#include "model/net/url_parts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::http {

namespace {

using actors::exchange_ref;
using actors::handler;
using actors::injected_failure;
using actors::owner;

/// `Timing-Allow-Origin` lets a page that measures latencies read how long each part of a ping took
/// (Resource Timing).
constexpr std::string_view ping_headers = "Access-Control-Allow-Origin: *\r\n"
                                          "Timing-Allow-Origin: *\r\n"
                                          "Cache-Control: no-store\r\n";

/// The path parameters that must be UUIDs, each with the answer to a client that sent something
/// else.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> id_advice{{
    {"game_id", "The game_id in the path is not a UUID. Write it with dashes, as "
                "00000000-0000-4000-8000-000000000001."},
    {"upload_id", "The upload_id in the path is not a UUID. Take the whole url of an avatar from "
                  "the game's list."},
    {"export_id", "The export's id in the path is not a UUID. Use the whole url that "
                  "export-history answered."},
}};

/// The name of the path parameter with this index, counted from 0.
std::string_view parameter_name(const operation_row& of, std::size_t number) noexcept {
  auto rest = of.path;
  for (std::size_t i = 0; i <= number; ++i)
    rest.remove_prefix(rest.find('{') + 1);
  return rest.substr(0, rest.find('}'));
}

/// The host name of an `Origin` (`scheme://host[:port]`, RFC 6454), lower case; empty where the
/// origin has another form.
std::string host_of_origin(std::string_view origin) {
  const auto parts = model::split_url(origin);
  const auto named = parts ? model::split_host_and_port(parts->authority) : std::nullopt;
  if (!named || !parts->rest.empty()) return {};
  std::string host =
      named->is_bracketed ? "[" + std::string{named->host} + "]" : std::string{named->host};
  std::transform(host.begin(), host.end(), host.begin(), to_lower);
  return host;
}

response no_content(std::string_view allow) {
  response answer;
  answer.status = 204;
  answer.headers.append("Allow: ").append(allow).append("\r\n");
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
bool front::arrives(const Reply& reply, const open_exchange& exchange) {
  const auto outcome = outcome_at(base::fault_point::front_reply, current_sender(),
                                  caf::make_message(reply), exchange.request);
  if (outcome == fault_outcome::fails)
    sink_->answer(reply.exchange, failure_answer(exchange, injected_failure()));
  return outcome == fault_outcome::arrives;
}

template <class Reply, class Make>
auto front::answering(Make make) {
  return [this, make](const Reply& reply) {
    auto exchange = sink_->find(reply.exchange);
    if (!exchange) return; // already answered, or a later attempt is under way
    claim(exchange.request, handler::front);
    if (base::faults::armed(base::fault_point::front_reply) && !arrives(reply, exchange))
      return release(exchange.request, handler::front, handler::past_owner);
    auto answer = make(exchange, reply);
    exchange.request.reset(); // a transport reuses requests that nobody else holds
    sink_->answer(reply.exchange, std::move(answer));
  };
}

caf::behavior front::make_behavior() {
  be_strict();
  set_down_handler([this](caf::down_msg& down) {
    // The requests that the dead owner held are dispatched again when the supervisor announces its
    // successor.
    for (auto& known : owners_)
      if (known && known.address() == down.source) known = nullptr;
  });
  return {
      [this](const dispatch& dispatched) {
        claim(dispatched.request, handler::front);
        if (arrives(dispatched)) handle(dispatched);
        release(dispatched.request, handler::front, handler::nobody);
        own_statistics().count_handled();
      },
      answering<actors::regions_ranked>(
          [this](const open_exchange& exchange, const actors::regions_ranked& reply) {
            return regions_answer(*exchange.request, reply);
          }),
      answering<actors::json_made>([](const open_exchange&, const actors::json_made& reply) {
        http::response answer;
        answer.content_type = json_type;
        answer.body = reply.json;
        answer.body_leased = reply.is_leased;
        return answer;
      }),
      answering<actors::media_opened>(
          [](const open_exchange& exchange, const actors::media_opened& reply) {
            return media_response(*exchange.request, reply);
          }),
      answering<actors::export_opened>(
          [](const open_exchange& exchange, const actors::export_opened& reply) {
            return export_response(*exchange.request, *reply.file);
          }),
      answering<actors::operation_failed>(
          [this](const open_exchange& exchange, const actors::operation_failed& reply) {
            return failure_answer(exchange, reply.error);
          }),
      [this](const actors::owners& known) { on(known); },
  };
}

void front::on_exit() {
  for (auto& known : owners_) {
    if (known) demonitor(known.address());
    known = nullptr;
  }
}

void front::on(const actors::owners& known) {
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i] == known.by_role[i]) continue;
    owners_[i] = known.by_role[i];
    if (!owners_[i]) continue;
    monitor(owners_[i]);
    if (attached_) sink_->redispatch(actors::all_owners[i]);
  }
  // Attaches only now: the transport then dispatches every unanswered exchange, and forwarding them
  // needs the owners' addresses.
  if (!std::exchange(attached_, true)) sink_->attach(caf::actor_cast<caf::actor>(this));
}

bool front::arrives(const dispatch& dispatched) {
  const auto& request = *dispatched.request;
  if (request.has(header::x_fault) && base::faults::any_armed())
    request.named_faults.store(faults_named_in(request.get(header::x_fault)),
                               std::memory_order_relaxed);
  if (!base::faults::armed(base::fault_point::front_dispatch)) return true;
  const auto outcome = outcome_at(base::fault_point::front_dispatch, nullptr,
                                  caf::make_message(dispatched), dispatched.request);
  if (outcome == fault_outcome::fails) fail(dispatched, operation::unmatched, injected_failure());
  return outcome == fault_outcome::arrives;
}

void front::handle(const dispatch& dispatched) {
  const auto& request = *dispatched.request;
  if (request.method == method::other)
    return fail(dispatched, operation::unmatched, method_not_implemented(request.method_token));
  if (request.target == "*")
    return sink_->answer(dispatched.exchange, no_content("GET, HEAD, POST, OPTIONS"));

  auto where = find_route(request.path(), settings_->base_path);
  if (!where) return fail(dispatched, operation::unmatched, where.error());
  const auto& row = *where->row;
  if (!allows(row, request.method)) {
    const std::string allow{allow_of(row)};
    return fail(dispatched, row.id,
                {base::errc::method_not_allowed,
                 "This path takes " + allow + ", not " + request.method_token + "."},
                "Allow: " + allow + "\r\n");
  }
  if (request.method == method::options) return preflight(dispatched, row);

  switch (row.id) {
  case operation::list_regions: return list_regions(dispatched);
  case operation::ping: return ping(dispatched);
  case operation::validate_version:
    return validate(dispatched, *where, model::payload_kind::version);
  case operation::validate_game: return validate(dispatched, *where, model::payload_kind::game);
  case operation::validate_group: return validate(dispatched, *where, model::payload_kind::group);
  case operation::list_avatars: return list_avatars(dispatched, *where);
  case operation::download_media: return download_media(dispatched, *where);
  case operation::export_lobby_history: return export_lobbies(dispatched, *where);
  case operation::download_export: return download_export(dispatched, *where);
  case operation::unmatched: break;
  }
  fail(dispatched, operation::unmatched, {base::errc::internal, "A route without an operation."});
}

void front::preflight(const dispatch& dispatched, const operation_row& row) {
  sink_->routed(dispatched.exchange, row.id, owner::none);
  auto answer = no_content(allow_of(row));
  const auto& request = *dispatched.request;
  const bool from_page = request.has(header::origin);
  switch (row.cors) {
  case cors_policy::none: break;
  case cors_policy::configured_origins:
    if (!from_page) break;
    answer.headers.append(cors_headers(request));
    if (may_read(request)) answer.headers.append(row.preflight);
    break;
  case cors_policy::any_origin:
    if (from_page) answer.fixed_headers = row.preflight;
    break;
  case cors_policy::anybody: answer.fixed_headers = row.preflight; break;
  }
  sink_->answer(dispatched.exchange, std::move(answer));
}

void front::list_regions(const dispatch& dispatched) {
  const auto& request = *dispatched.request;
  auto measured = read_rtt(dispatched);
  if (!measured) return;
  actors::rank_regions message{
      dispatched.exchange,
      client_address(request.peer, request.get(header::x_forwarded_for),
                     request.get(header::forwarded), settings_->proxies),
      request.has(header::origin) ? host_of_origin(request.get(header::origin)) : std::string{},
      *std::move(measured), dispatched.request};
  forward(dispatched, operation::list_regions, owner::region_ranking, std::move(message));
}

std::optional<std::vector<model::measured_latency>> front::read_rtt(const dispatch& dispatched) {
  const auto rtt = find_parameter(dispatched.request->query(), "rtt");
  if (!rtt.value) return std::vector<model::measured_latency>{};
  const auto refuse = [&](const base::error& why) {
    fail(dispatched, operation::list_regions, why);
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

void front::ping(const dispatch& dispatched) {
  sink_->routed(dispatched.exchange, operation::ping, owner::none);
  http::response answer;
  answer.status = 204;
  answer.fixed_headers = ping_headers;
  sink_->answer(dispatched.exchange, std::move(answer));
}

std::optional<model::uuid> front::read_id(const dispatch& dispatched, const route& where,
                                          std::size_t number) {
  const auto id = model::parse_uuid(where.parameters[number]);
  if (id) return id;
  const auto name = parameter_name(*where.row, number);
  const auto* const about =
      std::ranges::find_if(id_advice, [name](const auto& each) { return each.first == name; });
  fail(dispatched, where.row->id,
       {base::errc::id_malformed,
        std::string{about != id_advice.end() ? about->second : "An id is not a UUID."}});
  return std::nullopt;
}

void front::list_avatars(const dispatch& dispatched, const route& where) {
  const auto game_id = read_id(dispatched, where, 0);
  if (!game_id) return;
  actors::list_avatars message{dispatched.exchange, *game_id, dispatched.request};
  forward(dispatched, where.row->id, actors::avatar_shard_of(*game_id), std::move(message));
}

void front::validate(const dispatch& dispatched, const route& where, model::payload_kind kind) {
  const auto& request = *dispatched.request;
  actors::validate_payload message{
      dispatched.exchange, kind, {}, {dispatched.request, &request.body}, dispatched.request};
  if (kind == model::payload_kind::version) {
    const auto game_id = read_id(dispatched, where, 0);
    if (!game_id) return;
    message.game_id = *game_id;
  }
  if (!check_body(dispatched, *where.row)) return;
  const auto to =
      request.body.size() > actors::large_body_bytes ? owner::large_validator : owner::validator;
  forward(dispatched, where.row->id, to, std::move(message));
}

bool front::check_body(const dispatch& dispatched, const operation_row& row) {
  const auto& request = *dispatched.request;
  // An empty value names no type (RFC 9110 section 8.3), so it is treated like a missing header.
  const auto& type = request.get(header::content_type);
  if (!type.empty() && !is_json(type)) {
    fail(dispatched, row.id,
         {base::errc::media_type_unsupported,
          "The body must be JSON, not " + type.substr(0, 64) +
              ". Send Content-Type: application/json, or none."});
    return false;
  }
  if (row.body_limit_bytes == 0 || request.body.size() <= row.body_limit_bytes) return true;
  fail(dispatched, row.id,
       {base::errc::body_too_large,
        "The body has " + std::to_string(request.body.size()) + " bytes; this one takes " +
            std::to_string(row.body_limit_bytes) + ". " + std::string{row.body_advice}});
  return false;
}

void front::export_lobbies(const dispatch& dispatched, const route& where) {
  const auto game_id = read_id(dispatched, where, 0);
  if (!game_id || !check_body(dispatched, *where.row)) return;
  const auto& request = *dispatched.request;
  actors::export_lobbies message{
      dispatched.exchange, *game_id, {dispatched.request, &request.body}, dispatched.request};
  forward(dispatched, where.row->id, owner::lobby_export, std::move(message));
}

void front::download_export(const dispatch& dispatched, const route& where) {
  const auto export_id = read_id(dispatched, where, 0);
  if (!export_id) return;
  const auto& request = *dispatched.request;
  const auto link = read_export_link(request.query());
  if (!link)
    return fail(dispatched, where.row->id,
                {base::errc::signature_invalid,
                 "The URL needs expires and signature, each once, as export-history answered "
                 "them. Quote it in a shell: it has an & in it."});
  forward(dispatched, where.row->id, owner::export_download,
          actors::open_export{dispatched.exchange, *export_id, link->expires_s,
                              std::string{link->signature}, may_be_compressed(request),
                              dispatched.request});
}

void front::download_media(const dispatch& dispatched, const route& where) {
  const auto upload_id = read_id(dispatched, where, 0);
  if (!upload_id) return;
  const auto name = model::parse_image_name(where.parameters[1]);
  if (!name)
    return fail(dispatched, where.row->id,
                {base::errc::media_not_found,
                 "No image has such a name: it is 32 lower-case hexadecimal digits and .png or "
                 ".jpg. Take the whole url of an avatar from the game's list."});
  forward(dispatched, where.row->id, owner::media,
          actors::open_media{dispatched.exchange, {*upload_id, *name}, dispatched.request});
}

template <class Message>
void front::forward(const dispatch& dispatched, operation which, owner to, Message&& message) {
  if (!sink_->routed(dispatched.exchange, which, to))
    return fail(dispatched, which, mailbox_full());
  const auto& address = owners_[index_of(to)];
  if (address) send(address, std::forward<Message>(message));
}

void front::fail(const dispatch& dispatched, operation which, const base::error& what,
                 std::string headers) {
  sink_->routed(dispatched.exchange, which, owner::none);
  auto answer = problem(what, dispatched.request->id);
  answer.headers = std::move(headers);
  answer.headers += cors_headers_of(which, *dispatched.request);
  sink_->answer(dispatched.exchange, std::move(answer));
}

response front::regions_answer(const http::request& request, const actors::regions_ranked& reply) {
  auto answer = regions_response(request, reply.listing, any_origin_);
  if (!any_origin_ && may_read(request))
    answer.headers.append("Access-Control-Allow-Origin: ")
        .append(request.get(header::origin))
        .append("\r\n");
  return answer;
}

response front::failure_answer(const open_exchange& exchange, const base::error& why) {
  auto answer = problem(why, exchange.request->id);
  answer.headers = cors_headers_of(exchange.operation_id, *exchange.request);
  return answer;
}

std::string front::cors_headers_of(operation which, const http::request& request) const {
  switch (row_of(which).cors) {
  case cors_policy::none: break;
  case cors_policy::configured_origins: return cors_headers(request);
  case cors_policy::any_origin:
  case cors_policy::anybody: return std::string{any_origin_header};
  }
  return {};
}

bool front::may_read(const http::request& request) const {
  if (any_origin_) return true;
  const auto& origin = request.get(header::origin);
  const auto& allowed = settings_->cors_origins;
  return !origin.empty() && std::find(allowed.begin(), allowed.end(), origin) != allowed.end();
}

std::string front::cors_headers(const http::request& request) const {
  if (any_origin_) return std::string{any_origin_header};
  if (!may_read(request)) return "Vary: Origin\r\n";
  return "Access-Control-Allow-Origin: " + request.get(header::origin) + "\r\nVary: Origin\r\n";
}

} // namespace matchcloud::http
