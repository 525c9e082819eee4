#include "app/commands/administration.hpp"

#include "http/wire/request.hpp"
#include "model/text/joined.hpp"
#include "model/text/timestamp.hpp"
#include "store/local_author.hpp"

#include <httplib.h>
#include <spdlog/fmt/fmt.h>

#include <memory>
#include <utility>
#include <variant>

namespace matchcloud::app {

namespace {

using actors::element_request;

/// The request for an operation, as it is sent to a service.
ops_request request_of(const http::operation_row& row, const std::vector<std::string>& path,
                       const actors::administrative_request& request) {
  ops_request made{std::string{name_of(row.method)}, std::string{row.path}, {}};
  for (const auto& each : path) {
    const auto begin = made.target.find('{');
    made.target.replace(begin, made.target.find('}') + 1 - begin, each);
  }
  if (const auto* query = std::get_if<model::audit_query>(&request))
    made.target = httplib::append_query_params(
        made.target, {{"limit", std::to_string(query->limit)},
                      {"before", query->before > 0 ? std::to_string(query->before) : ""},
                      {"since", model::format_timestamp(query->since_ms)},
                      {"action", query->action},
                      {"subject", query->subject},
                      {"who", query->who}});
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { *one.body; })
          if (one.body) made.body = *one.body;
      },
      request);
  return made;
}

std::shared_ptr<store::database> opened(const store::store_place& place, store_use use) {
  switch (use) {
  case store_use::reads: return value_of(store::open_to_read(place));
  case store_use::changes:
  case store_use::changes_images: return value_of(store::open_existing_store(place));
  case store_use::creates: break;
  }
  return value_of(store::open_store(place));
}

} // namespace

void add_administration_options(CLI::App& command, administered_place& place) {
  auto* directory = add_store_options(command, place.store);
  add_ops_plane_options(command, place.service);
  auto* url = command.get_option("--url")->excludes(directory);
  for (const char* const of_store : {"--store", "--store-unverified"})
    url->excludes(command.get_option(of_store));
  command.get_option("--token-file")->needs(url);
}

administrator::administrator(const administered_place& at, store_use use, command_run& in,
                             std::chrono::days history_kept)
    : in_{in} {
  if (!at.service.url.empty()) {
    service_ = ops_plane_of(at.service, in.name());
    return;
  }
  on_.database = opened(at.store, use);
  on_.history_kept = history_kept;
  if (use == store_use::changes_images) on_.images = value_of(store::open_objects(at.store));
}

actors::administration_outcome
administrator::outcome_of(const http::operation_row& row, const std::vector<std::string>& path,
                          const actors::administrative_request& request) const {
  if (on_.database) {
    // What is due is so by the clock of the store, which another machine may have.
    const auto now_ms =
        &row == &rows::list_retention ? time_of(*on_.database) : on_.clock->unix_ms();
    return actors::perform({on_, store::local_author(), now_ms}, request);
  }
  auto answer = value_of(ask_ops_plane(service_, request_of(row, path, request), in_.until()));
  return {answer.status, std::move(answer.body)};
}

administered_answer administrator::perform(const http::operation_row& row,
                                           const std::vector<std::string>& path,
                                           const actors::administrative_request& request) const {
  administered_answer made{outcome_of(row, path, request), {}};
  made.value = read_answer(made.json);
  if (made.value.IsString() && &row != &rows::put_element) throw unexpected_answer();
  return made;
}

void administrator::remove(const http::operation_row& row, const std::vector<std::string>& path,
                           const actors::administrative_request& request) const {
  constexpr int no_content = 204;
  if (outcome_of(row, path, request).status != no_content) throw unexpected_answer();
}

model::catalog administrator::names() const {
  if (on_.database) return catalog_of(*on_.database);
  model::catalog all;
  const auto id_in = [](const rapidjson::Value& of, const char* name) {
    return model::parse_uuid(model::member_text(of, name)).value_or(model::uuid{});
  };
  const auto list = [this](model::element_kind kind) {
    return perform(rows::list_elements, {std::string{plural_of(kind)}},
                   element_request{element_request::verb::list, kind})
        .value;
  };
  const auto games = list(model::element_kind::game);
  for (const auto& each : model::member_elements(games, "games"))
    all.games.push_back({id_in(each, "game_id"), shown_member(each, "display_name")});
  const auto namespaces = list(model::element_kind::game_namespace);
  for (const auto& each : model::member_elements(namespaces, "namespaces"))
    all.namespaces.push_back(
        {id_in(each, "namespace_id"), id_in(each, "game_id"), shown_member(each, "name"), {}, {}});
  return all;
}

base::failure unexpected_answer() {
  return {base::errc::io_failed, "the answer is not that of the operation; is this the ops plane "
                                 "of a matchcloud service?"};
}

rapidjson::Document read_answer(std::string_view json) {
  auto answer = model::parse_members(json);
  if (answer.IsObject() || answer.IsString()) return answer;
  throw unexpected_answer();
}

std::string shown_member(const rapidjson::Value& of, const char* name, std::string_view otherwise) {
  const auto* value = model::member_of(of, name);
  if (value != nullptr && value->IsNumber()) return fmt::format("{}", value->GetDouble());
  if (value != nullptr && value->IsArray()) {
    std::vector<std::string_view> texts;
    for (const auto& each : value->GetArray())
      if (each.IsString()) texts.emplace_back(each.GetString(), each.GetStringLength());
    return model::joined(texts);
  }
  const auto text = model::member_text(of, name);
  return std::string{text.empty() ? otherwise : text};
}

} // namespace matchcloud::app
