#include "http/front/request_context.hpp"

#include "http/front/page_guard.hpp"
#include "http/front/request_check.hpp"
#include "http/operations/code.hpp"
#include "http/wire/query.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::http {

namespace {

/// The path parameters that must be UUIDs, each with the error for a client that sent something
/// else.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> id_advice{{
    {"game_id", "The game_id in the path is not a UUID. Use the form with dashes, such as "
                "00000000-0000-4000-8000-000000000001."},
    {"upload_id", "The upload_id in the path is not a UUID. Use the whole url of an avatar in the "
                  "game's list."},
    {"token_id", "The token_id in the path is not a UUID. Take it from the list of tokens."},
    {"export_id", "The export's id in the path is not a UUID. Use the whole url that "
                  "export-history returned."},
}};

/// The name of the path parameter with this index, counted from 0.
std::string_view parameter_name(const operation_row& of, std::size_t number) noexcept {
  auto rest = of.path;
  for (std::size_t i = 0; i <= number; ++i)
    rest.remove_prefix(rest.find('{') + 1);
  return rest.substr(0, rest.find('}'));
}

} // namespace

void front::perform(const dispatch& dispatched, route& where) {
  auto& request = *dispatched.request;
  if (where.row->names_game && !where.id) where.id = model::parse_uuid(where.parameters[0]);
  // Only on the first attempt: owners may still read the values of earlier attempts.
  if (request.marks.request_id.empty()) {
    if (where.row->names_game) request.game = where.id;
    if (!trace_id_of(request).empty())
      request.marks.trace_parent = request.get(header::traceparent);
    request.marks.request_id = request.id;
  }
  code_of(where.row->id).ask(request_context{*this, dispatched, where});
}

std::string request_context::origin_host() const {
  return request().has(header::origin) ? host_of_origin(request().get(header::origin))
                                       : std::string{};
}

std::optional<model::uuid> request_context::player_namespace() const {
  const bool names_one = token() != nullptr && token()->what.kind == model::token_kind::player;
  return names_one ? std::optional{token()->what.scope} : std::nullopt;
}

model::audit_author request_context::author() const {
  model::audit_author by;
  if (token() != nullptr) {
    by.what = model::audit_author::kind::token;
    by.name = token()->what.name;
    by.id = model::to_string(token()->token_id);
  } else if (request().certificate_subject) {
    by.what = model::audit_author::kind::certificate;
    by.name = *request().certificate_subject;
  }
  by.address = model::to_string(client());
  by.request_id = request().id;
  return by;
}

std::optional<model::uuid> request_context::id(std::size_t number) const {
  const auto read = number == 0 && where_->id ? where_->id : model::parse_uuid(parameter(number));
  if (read) return read;
  const auto name = parameter_name(row(), number);
  const auto* const about =
      std::ranges::find_if(id_advice, [name](const auto& each) { return each.first == name; });
  refuse(
      {base::errc::id_malformed,
       std::string{about != id_advice.end() ? about->second : "An id in the path is not a UUID."}});
  return std::nullopt;
}

std::string request_context::query(std::string_view name) const {
  return percent_decode(find_parameter(request().query(), name).value.value_or("")).value_or("?");
}

bool request_context::takes_body() const {
  const auto why = check_body(row(), request(), request().body.size());
  if (why) refuse(*why);
  return !why;
}

bool request_context::reaches_store() const {
  const auto& state = settings().state;
  const auto now = state ? state->load() : service_state::ready;
  const bool is_fenced = now == service_state::store_newer;
  const bool is_gone = now == service_state::store_gone ||
                       settings().store.is_unreachable(base::machine_clock().now());
  if (!is_fenced && !is_gone) return true;
  refuse(is_fenced ? base::error{base::errc::store_newer, {}}
                   : base::error{base::errc::store_failed,
                                 "The store is out of reach. The service's log shows the cause. "
                                 "Try again later.",
                                 true});
  return false;
}

void request_context::answer_static(const std::shared_ptr<const static_content>& content,
                                    std::string_view fixed_headers) const {
  if (content) return answer(static_response(request(), *content, fixed_headers));
  front_->fail(*dispatched_, operation::unmatched, no_such_path(request().path(), row().plane));
}

} // namespace matchcloud::http
