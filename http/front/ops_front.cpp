#include "http/front/ops_front.hpp"

#include "http/front/console_files.hpp"
#include "http/wire/query.hpp"
#include "model/net/ping_url.hpp"

#include <spdlog/spdlog.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace matchcloud::http {

namespace {

using actors::owner;

constexpr std::string_view document_headers = "Cache-Control: no-cache\r\n";

constexpr std::string_view own_image_headers = "Accept-Ranges: bytes\r\n";
constexpr std::string_view asset_headers = "Cache-Control: public, max-age=31536000, immutable\r\n";
constexpr std::string_view page_headers = "Cache-Control: no-cache\r\n"
                                          "Referrer-Policy: no-referrer\r\n";

/// Beyond so many origins regions are not pinged: a header has its limits in browsers and proxies.
constexpr std::size_t ping_origins_limit = 64;

/// A parameter of a query, decoded; empty if there is none. One that cannot be decoded is no number
/// and no name.
std::string decoded(std::string_view query, std::string_view name) {
  return percent_decode(find_parameter(query, name).value.value_or("")).value_or("?");
}

std::optional<double> read_degrees(const std::string& text, double most) {
  double degrees = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, degrees);
  if (read.ec != std::errc{} || read.ptr != end || !(std::abs(degrees) <= most))
    return std::nullopt;
  return degrees;
}

/// Who asks, for the audit log.
model::audit_author author_of(const route& where, const request& of) {
  model::audit_author by;
  if (where.token != nullptr) {
    by.what = model::audit_author::kind::token;
    by.name = where.token->what.name;
    by.id = model::to_string(where.token->token_id);
  } else if (of.certificate_subject) {
    by.what = model::audit_author::kind::certificate;
    by.name = *of.certificate_subject;
  }
  by.address = model::to_string(where.client);
  by.request_id = of.id;
  return by;
}

response json_of(int status, std::string json) {
  response made;
  made.status = status;
  made.content_type = json_type;
  made.fixed_headers = no_store_header;
  made.body = std::move(json);
  return made;
}

} // namespace

ops_front::ops_front(caf::actor_config& cfg, std::shared_ptr<const front_settings> settings,
                     exchange_sink& sink, shared_service_state state,
                     std::shared_ptr<access_gate> gate, const model::catalog_snapshot& catalog)
    : front{cfg, std::move(settings), sink, std::move(gate)}, state_{std::move(state)} {
  if (catalog) set_catalog(catalog);
}

void ops_front::set_catalog(const model::catalog_snapshot& catalog) {
  std::set<std::string> origins;
  for (const auto& region : catalog->regions)
    if (!region.ping_url.empty() && origins.size() < ping_origins_limit)
      origins.insert(model::origin_of(region.ping_url));
  ping_origins_.clear();
  for (const auto& each : origins)
    ping_origins_.append(" ").append(each);
}

caf::behavior ops_front::make_behavior() {
  be_front();
  return {
      taking_requests(),
      dispatching(),
      answering<actors::json_made>([](const open_exchange&, const actors::json_made& reply) {
        auto made = json_answer(reply);
        made.fixed_headers = no_store_header;
        return made;
      }),
      deferring_validation(),
      answering<actors::operation_failed>([this](const open_exchange& exchange,
                                                 const actors::operation_failed& reply) {
        // The answer describes such an error only in general terms; the details go to the log.
        if (base::is_local_failure(reply.error.code))
          spdlog::error("ops: request {}: {}", exchange.request->id, base::to_string(reply.error));
        return failure_answer(exchange, reply.error);
      }),
      answering<actors::text_made>([](const open_exchange&, const actors::text_made& reply) {
        http::response made;
        made.content_type = reply.content_type;
        made.fixed_headers = no_store_header;
        made.body = reply.text;
        return made;
      }),
      answering<actors::answer_begun>([](const open_exchange&, const actors::answer_begun& reply) {
        http::response made;
        made.content_type = reply.content_type;
        made.fixed_headers = no_store_header;
        made.body = body_in_parts{};
        return made;
      }),
      answering<actors::media_opened>(
          [](const open_exchange& exchange, const actors::media_opened& reply) {
            auto made = image_answer(exchange, reply);
            // It was behind a token, which the caches of others do not ask for.
            made.fixed_headers = own_image_headers;
            if (made.status != 307) made.headers += no_store_header; // redirects have it
            return made;
          }),
      answering_downloads(),
      [this](const actors::catalog_changed& news) { set_catalog(news.snapshot); },
      [this](const actors::answer_part& part) { sink().send_part(part); },
      [this](const actors::answer_taken& taken) { pass_on(taken); },
      [this](const actors::body_part& part) { pass_on(part); },
      [this](const actors::body_credit& credit) { sink().grant(credit.exchange, credit.bytes); },
      knowing_tokens(),
      knowing_owners(),
  };
}

template <class Message>
void ops_front::pass_on(const Message& message) {
  const auto exchange = sink().find(message.exchange);
  if (!exchange) return;
  if (const auto& address = owner_at(exchange.waits_for)) send(address, message);
}

void ops_front::preflight(const dispatch& dispatched, const route& where) {
  answer(dispatched, where.row->id, no_content(allow_of(*where.row)));
}

void ops_front::perform(const dispatch& dispatched, const route& where) {
  using verb = actors::administer::verb;
  using token_verb = actors::administer_tokens::verb;
  using fault_verb = actors::control_faults::verb;
  const auto& row = *where.row;
  switch (row.id) {
  case operation::get_health: return answer_health(dispatched);
  case operation::get_readiness: return answer_readiness(dispatched);
  case operation::get_metrics: return report(dispatched, row, actors::render_report::kind::metrics);
  case operation::list_actors: return report(dispatched, row, actors::render_report::kind::actors);
  case operation::watch_status:
    return forward(dispatched, row.id, owner::reports,
                   actors::watch_status{dispatched.exchange, dispatched.request});
  case operation::ingest_lobbies: return ingest(dispatched, where);
  case operation::list_tokens: return administer_tokens(dispatched, where, token_verb::list);
  case operation::create_token: return administer_tokens(dispatched, where, token_verb::create);
  case operation::get_token: return administer_tokens(dispatched, where, token_verb::get);
  case operation::revoke_token: return administer_tokens(dispatched, where, token_verb::revoke);
  case operation::rotate_token: return administer_tokens(dispatched, where, token_verb::rotate);
  case operation::list_audit: return read_audit(dispatched, where);
  case operation::list_elements: return administer(dispatched, where, verb::list);
  case operation::get_element: return administer(dispatched, where, verb::get);
  case operation::put_element: return administer(dispatched, where, verb::put);
  case operation::remove_element: return administer(dispatched, where, verb::remove);
  case operation::list_faults: return control_faults(dispatched, where, fault_verb::list);
  case operation::clear_faults: return control_faults(dispatched, where, fault_verb::clear_all);
  case operation::get_fault: return control_faults(dispatched, where, fault_verb::get);
  case operation::put_fault: return control_faults(dispatched, where, fault_verb::put);
  case operation::clear_fault: return control_faults(dispatched, where, fault_verb::clear);
  case operation::validate_payload:
    return validate(dispatched, row, *model::parse_payload_kind(where.parameters[0]), std::nullopt);
  case operation::get_schema: return print_schema(dispatched, where);
  case operation::get_ranking: return explain_ranking(dispatched, where);
  case operation::list_places: return report(dispatched, row, actors::render_report::kind::places);
  case operation::list_traces: return report(dispatched, row, actors::render_report::kind::traces);
  case operation::list_exports:
    return forward(dispatched, row.id, owner::lobby_export,
                   actors::list_exports{dispatched.exchange, dispatched.request});
  case operation::list_game_avatars: return list_avatars(dispatched, where);
  case operation::get_image: return open_image(dispatched, where);
  case operation::survey_lobbies:
    return survey(dispatched, where, [](const auto& text) {
      return actors::read_history_query(text("start"), text("end"), text("buckets"));
    });
  case operation::list_running_lobbies:
    return survey(dispatched, where, [](const auto& text) {
      return actors::read_running_query(text("longer_than_ms"), text("limit"));
    });
  case operation::start_export: return export_lobbies(dispatched, where);
  case operation::download_own_export: return open_export(dispatched, where);
  case operation::get_console:
  case operation::get_reference:
  case operation::get_console_file: return answer_console(dispatched, where);
  case operation::get_ops_openapi:
    return answer_static(dispatched, row.id, settings().documents.of_ops_plane, document_headers);
  case operation::get_data_openapi:
    return answer_static(dispatched, row.id, settings().documents.of_data_plane, document_headers);
  case operation::validate_version:
  case operation::validate_game:
  case operation::validate_group:
  case operation::list_regions:
  case operation::ping:
  case operation::list_avatars:
  case operation::export_lobby_history:
  case operation::download_media:
  case operation::download_export:
  case operation::get_openapi: // of the data plane
  case operation::unmatched: break;
  }
  fail(dispatched, operation::unmatched, {base::errc::internal, "A route without an operation."});
}

void ops_front::answer_health(const dispatch& dispatched) {
  answer(dispatched, operation::get_health, json_of(200, R"({"status":"ok"})"));
}

void ops_front::answer_readiness(const dispatch& dispatched) {
  const auto now = state_->load();
  answer(dispatched, operation::get_readiness,
         json_of(now == service_state::ready ? 200 : 503, render_state(now)));
}

void ops_front::report(const dispatch& dispatched, const operation_row& row,
                       actors::render_report::kind what) {
  forward(dispatched, row.id, owner::reports,
          actors::render_report{dispatched.exchange, what, dispatched.request});
}

void ops_front::ingest(const dispatch& dispatched, const route& where) {
  if (!check_body(dispatched, row_of(operation::ingest_lobbies))) return;
  forward(dispatched, operation::ingest_lobbies, owner::ingestion,
          actors::ingest_lobbies{dispatched.exchange, dispatched.request->body_follows,
                                 author_of(where, *dispatched.request), dispatched.request});
}

void ops_front::administer_tokens(const dispatch& dispatched, const route& where,
                                  actors::administer_tokens::verb what) {
  if (!reaches_store(dispatched, where)) return;
  const auto& request = *dispatched.request;
  const auto& row = *where.row;
  actors::administer_tokens message{dispatched.exchange, what};
  if (!where.parameters[0].empty()) {
    const auto id = read_id(dispatched, where, 0);
    if (!id) return;
    message.token_id = *id;
  }
  if (row.body != body_kind::none && !check_body(dispatched, row)) return;
  message.body = {dispatched.request, &request.body};
  message.by = author_of(where, request);
  message.ticket = dispatched.request;
  forward(dispatched, row.id, owner::administration, std::move(message));
}

bool ops_front::reaches_store(const dispatch& dispatched, const route& where) {
  const bool is_fenced = state_ && *state_ == service_state::store_newer;
  if (!is_fenced && !settings().store.is_unreachable(base::machine_clock().now())) return true;
  fail(dispatched, where.row->id,
       is_fenced
           ? base::error{base::errc::store_newer, {}}
           : base::error{base::errc::store_failed,
                         "The store is out of reach. The service's log has the cause. Try again "
                         "later.",
                         true});
  return false;
}

void ops_front::read_audit(const dispatch& dispatched, const route& where) {
  if (!reaches_store(dispatched, where)) return;
  const auto query = dispatched.request->query();
  const auto text = [&](std::string_view name) { return decoded(query, name); };
  auto read = model::parse_audit_query(
      {text("before"), text("limit"), text("since"), text("action"), text("subject"), text("who")});
  if (!read) return fail(dispatched, operation::list_audit, read.error());
  forward(dispatched, operation::list_audit, owner::administration,
          actors::read_audit{dispatched.exchange, *std::move(read), dispatched.request});
}

void ops_front::print_schema(const dispatch& dispatched, const route& where) {
  forward(dispatched, where.row->id, owner::validator,
          actors::print_schema{dispatched.exchange, *model::parse_payload_kind(where.parameters[0]),
                               dispatched.request});
}

void ops_front::explain_ranking(const dispatch& dispatched, const route& where) {
  const auto query = dispatched.request->query();
  const auto refuse = [&](const char* why) {
    fail(dispatched, where.row->id, {base::errc::query_invalid, why});
  };
  actors::explain_ranking message{dispatched.exchange, {}, {}, {}, dispatched.request};
  const auto address = decoded(query, "address");
  const auto latitude = read_degrees(decoded(query, "latitude"), 90);
  const auto longitude = read_degrees(decoded(query, "longitude"), 180);
  if (latitude && longitude) {
    message.at = model::coordinates{*latitude, *longitude};
  } else if (const auto client = model::parse_ip_address(address)) {
    message.client = *client;
  } else {
    return refuse("The query needs address, an IPv4 or IPv6 address, or latitude (-90 to 90) and "
                  "longitude (-180 to 180) in degrees.");
  }
  if (const auto text = decoded(query, "namespace_id"); !text.empty()) {
    message.namespace_id = model::parse_uuid(text);
    if (!message.namespace_id) return refuse("namespace_id must be a UUID of 36 characters.");
  }
  forward(dispatched, where.row->id, owner::region_ranking, std::move(message));
}

template <class Read>
void ops_front::survey(const dispatch& dispatched, const route& where, Read read) {
  const auto game_id = read_id(dispatched, where, 0);
  if (!game_id || !reaches_store(dispatched, where)) return;
  const auto query = dispatched.request->query();
  auto wanted = read([&](std::string_view name) { return decoded(query, name); });
  if (!wanted) return fail(dispatched, where.row->id, wanted.error());
  forward(dispatched, where.row->id, owner::reports,
          actors::survey_lobbies{dispatched.exchange, *game_id, *std::move(wanted),
                                 dispatched.request});
}

void ops_front::answer_console(const dispatch& dispatched, const route& where) {
  const auto& files = settings().console;
  const bool is_asset = where.row->id == operation::get_console_file;
  const auto name = is_asset                                    ? "assets/" + where.parameters[0]
                    : where.row->id == operation::get_reference ? std::string{"docs.html"}
                                                                : std::string{"index.html"};
  const auto content = files ? files->find(name) : nullptr;
  if (!content)
    return fail(dispatched, where.row->id,
                {base::errc::route_not_found,
                 files ? "The console has no such file. Load its page again."
                       : "This program was built without the console: script/console, then "
                         "script/build makes one that has it."});
  auto made =
      static_response(*dispatched.request, *content, is_asset ? asset_headers : page_headers);
  if (!is_asset)
    made.headers.append("Content-Security-Policy: ")
        .append(console_policy(ping_origins_))
        .append("\r\n");
  answer(dispatched, where.row->id, std::move(made));
}

void ops_front::administer(const dispatch& dispatched, const route& where,
                           actors::administer::verb what) {
  if (!reaches_store(dispatched, where)) return;
  const auto& request = *dispatched.request;
  const auto& row = *where.row;
  const auto kind = model::parse_plural(where.parameters[0]).value();
  if (row.body != body_kind::none && !check_body(dispatched, row)) return;
  forward(dispatched, row.id, owner::administration,
          actors::administer{dispatched.exchange,
                             what,
                             kind,
                             where.parameters[1],
                             {dispatched.request, &request.body},
                             author_of(where, request),
                             dispatched.request});
}

void ops_front::control_faults(const dispatch& dispatched, const route& where,
                               actors::control_faults::verb what) {
  const auto& row = *where.row;
  if (row.body != body_kind::none && !check_body(dispatched, row)) return;
  forward(dispatched, row.id, owner::fault_control,
          actors::control_faults{dispatched.exchange,
                                 what,
                                 where.parameters[0],
                                 {dispatched.request, &dispatched.request->body},
                                 author_of(where, *dispatched.request),
                                 dispatched.request});
}

} // namespace matchcloud::http
