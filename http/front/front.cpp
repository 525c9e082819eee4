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

/// A page that measures may also read how long each part of a ping took (Resource Timing).
constexpr std::string_view ping_headers = "Access-Control-Allow-Origin: *\r\n"
                                          "Timing-Allow-Origin: *\r\n"
                                          "Cache-Control: no-store\r\n";

/// What a path's parameter that must be a UUID is called, and where clients find one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> id_advice{{
    {"game_id", "The game_id in the path is not a UUID. Write it with dashes, as "
                "00000000-0000-4000-8000-000000000001."},
    {"upload_id", "The upload_id in the path is not a UUID. Take the whole url of an avatar from "
                  "the game's list."},
    {"export_id", "The export's id in the path is not a UUID. Use the whole url that "
                  "export-history answered."},
}};

/// The name of a path's parameter of that number.
std::string_view parameter_name(const operation_row& of, std::size_t number) noexcept {
  auto rest = of.path;
  for (std::size_t i = 0; i <= number; ++i)
    rest.remove_prefix(rest.find('{') + 1);
  return rest.substr(0, rest.find('}'));
}

/// The host name of an `Origin` (`scheme://host[:port]`, RFC 6454), lower case.
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
  const auto fares = fate_at(base::fault_point::front_reply, current_sender(),
                             caf::make_message(reply), exchange.request);
  if (fares == fate::fails)
    sink_->answer(reply.exchange, failure_answer(exchange, injected_failure()));
  return fares == fate::arrives;
}

template <class Reply, class Make>
auto front::answering(Make make) {
  return [this, make](const Reply& reply) {
    auto exchange = sink_->find(reply.exchange);
    if (!exchange) return; // answered, or a later attempt is under way
    take_in_hand(exchange.request, handler::front);
    if (base::faults::armed(base::fault_point::front_reply) && !arrives(reply, exchange))
      return put_down(exchange.request, handler::front, handler::past_owner);
    auto answer = make(exchange, reply);
    exchange.request.reset(); // a transport reuses requests that nobody else holds
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
        put_down(job.request, handler::front, handler::nobody);
        own_vitals().count_handled();
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
    if (attached_) sink_->redispatch(actors::all_owners[i]);
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
  const auto& row = *where->asked;
  if (!allows(row, asking.method)) {
    const std::string allow{allow_of(row)};
    return fail(job, row.id,
                {base::errc::method_not_allowed,
                 "This path takes " + allow + ", not " + asking.method_token + "."},
                "Allow: " + allow + "\r\n");
  }
  if (asking.method == method::options) return preflight(job, row);

  switch (row.id) {
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

void front::preflight(const dispatch& job, const operation_row& asked) {
  sink_->routed(job.exchange, asked.id, owner::none);
  auto answer = no_content(allow_of(asked));
  const auto& asking = *job.request;
  const bool from_page = asking.has(header::origin);
  switch (asked.cors) {
  case cors_policy::none: break;
  case cors_policy::configured_origins:
    if (!from_page) break;
    answer.headers.append(cors_headers(asking));
    if (may_read(asking)) answer.headers.append(asked.preflight);
    break;
  case cors_policy::any_origin:
    if (from_page) answer.fixed_headers = asked.preflight;
    break;
  case cors_policy::anybody: answer.fixed_headers = asked.preflight; break;
  }
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

std::optional<model::uuid> front::read_id(const dispatch& job, const route& where,
                                          std::size_t number) {
  const auto id = model::parse_uuid(where.parameters[number]);
  if (id) return id;
  const auto name = parameter_name(*where.asked, number);
  const auto* const about =
      std::ranges::find_if(id_advice, [name](const auto& each) { return each.first == name; });
  fail(job, where.asked->id,
       {base::errc::id_malformed,
        std::string{about != id_advice.end() ? about->second : "An id is not a UUID."}});
  return std::nullopt;
}

void front::list_avatars(const dispatch& job, const route& where) {
  const auto game_id = read_id(job, where, 0);
  if (!game_id) return;
  actors::list_avatars message{job.exchange, *game_id, job.request};
  forward(job, where.asked->id, actors::avatar_shard_of(*game_id), std::move(message));
}

void front::validate(const dispatch& job, const route& where, model::payload_kind kind) {
  const auto& asking = *job.request;
  actors::validate_payload message{
      job.exchange, kind, {}, {job.request, &asking.body}, job.request};
  if (kind == model::payload_kind::version) {
    const auto game_id = read_id(job, where, 0);
    if (!game_id) return;
    message.game_id = *game_id;
  }
  if (!check_body(job, *where.asked)) return;
  const auto to =
      asking.body.size() > actors::large_body_bytes ? owner::large_validator : owner::validator;
  forward(job, where.asked->id, to, std::move(message));
}

bool front::check_body(const dispatch& job, const operation_row& asked) {
  const auto& asking = *job.request;
  // An empty value names no type (RFC 9110 section 8.3): it says as much as none.
  const auto& type = asking.get(header::content_type);
  if (!type.empty() && !is_json(type)) {
    fail(job, asked.id,
         {base::errc::media_type_unsupported,
          "The body must be JSON, not " + type.substr(0, 64) +
              ". Send Content-Type: application/json, or none."});
    return false;
  }
  if (asked.body_limit_bytes == 0 || asking.body.size() <= asked.body_limit_bytes) return true;
  fail(job, asked.id,
       {base::errc::body_too_large,
        "The body has " + std::to_string(asking.body.size()) + " bytes; this one takes " +
            std::to_string(asked.body_limit_bytes) + ". " + std::string{asked.body_advice}});
  return false;
}

void front::export_lobbies(const dispatch& job, const route& where) {
  const auto game_id = read_id(job, where, 0);
  if (!game_id || !check_body(job, *where.asked)) return;
  const auto& asking = *job.request;
  actors::export_lobbies message{job.exchange, *game_id, {job.request, &asking.body}, job.request};
  forward(job, where.asked->id, owner::lobby_export, std::move(message));
}

void front::download_export(const dispatch& job, const route& where) {
  const auto export_id = read_id(job, where, 0);
  if (!export_id) return;
  const auto& asking = *job.request;
  const auto link = read_export_link(asking.query());
  if (!link)
    return fail(job, where.asked->id,
                {base::errc::signature_invalid,
                 "The URL needs expires and signature, each once, as export-history answered "
                 "them. Quote it in a shell: it has an & in it."});
  forward(job, where.asked->id, owner::export_download,
          actors::open_export{job.exchange, *export_id, link->expires_s,
                              std::string{link->signature}, may_be_compressed(asking),
                              job.request});
}

void front::download_media(const dispatch& job, const route& where) {
  const auto upload_id = read_id(job, where, 0);
  if (!upload_id) return;
  const auto name = model::parse_image_name(where.parameters[1]);
  if (!name)
    return fail(job, where.asked->id,
                {base::errc::media_not_found,
                 "No image has such a name: it is 32 lower-case hexadecimal digits and .png or "
                 ".jpg. Take the whole url of an avatar from the game's list."});
  forward(job, where.asked->id, owner::media,
          actors::open_media{job.exchange, {*upload_id, *name}, job.request});
}

template <class Message>
void front::forward(const dispatch& job, operation asked, owner to, Message&& message) {
  if (!sink_->routed(job.exchange, asked, to)) return fail(job, asked, mailbox_full());
  const auto& address = owners_[index_of(to)];
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

response front::failure_answer(const open_exchange& exchange, const base::error& why) {
  auto answer = problem(why, exchange.request->id);
  answer.headers = cors_headers_of(exchange.asked, *exchange.request);
  return answer;
}

std::string front::cors_headers_of(operation asked, const http::request& asking) const {
  switch (row_of(asked).cors) {
  case cors_policy::none: break;
  case cors_policy::configured_origins: return cors_headers(asking);
  case cors_policy::any_origin:
  case cors_policy::anybody: return std::string{any_origin_header};
  }
  return {};
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
