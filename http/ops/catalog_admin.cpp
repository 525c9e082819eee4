#include "http/ops/catalog_admin.hpp"

#include "http/ops/bounded_body.hpp"
#include "http/ops/method_routes.hpp"
#include "http/ops/ops_guard.hpp"
#include "http/ops/ops_problem.hpp"
#include "http/wire/characters.hpp"
#include "http/wire/media_type.hpp"
#include "http/wire/response.hpp"
#include "model/catalog/parse_catalog.hpp"

#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using base::errc;
using httplib::ContentReader;
using httplib::Request;
using httplib::Response;

constexpr std::string_view prefix = "/v1/";

void set_json(Response& into, const std::string& json) {
  into.set_content(json, std::string{json_type});
}

tl::unexpected<base::error> too_large() {
  return base::fail(errc::body_too_large, "An element has at most " +
                                              std::to_string(model::element_limit_bytes) +
                                              " bytes. Send each in a request of its own.");
}

/// Reads a body of at most `element_limit_bytes`; a longer one fails with `body_too_large`.
base::expected<std::string> read_body(const Request& request, const ContentReader& body) {
  // The declared length is checked first, so that a body that is too long is not waited for.
  if (declared_length(request).value_or(0) > model::element_limit_bytes) return too_large();
  auto text = read_bounded_body(body, model::element_limit_bytes);
  if (text && text->size() > model::element_limit_bytes) return too_large();
  return text;
}

} // namespace

void catalog_admin::add_routes(httplib::Server& to) {
  route_every_method(to, R"(/v1/(games|namespaces|regions|tiers)(/[\s\S]*)?)",
                     [this](const Request& request, Response& into, const ContentReader* body) {
                       answer(request, into, body);
                     });
}

std::optional<catalog_admin::place> catalog_admin::parse(const std::string& path) {
  const auto rest = std::string_view{path}.substr(prefix.size());
  const auto slash = rest.find('/');
  const auto kind = model::parse_plural(rest.substr(0, slash));
  if (!kind) return std::nullopt;
  if (slash == rest.npos) return place{*kind, std::nullopt};
  const auto id = rest.substr(slash + 1);
  if (id.empty() || id.find('/') != id.npos) return std::nullopt;
  return place{*kind, std::string{id}};
}

void catalog_admin::answer(const Request& request, Response& into, const ContentReader* body) {
  const auto where = parse(request.path);
  if (!where)
    return set_problem(
        into, {errc::route_not_found, "An element's path is /v1/KIND/ID, a list's is /v1/KIND."});
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  const bool is_put = request.method == "PUT";
  if (!is_get && !(where->id && (is_put || request.method == "DELETE"))) {
    const std::string allow = where->id ? "GET, HEAD, PUT, DELETE" : "GET, HEAD";
    into.set_header("Allow", allow);
    return set_problem(into, {errc::method_not_allowed, "Allowed are " + allow + "."});
  }
  const auto run = [&]() -> base::expected<void> {
    if (!where->id) return list(where->kind, into);
    const auto key = model::element_key::parse(where->kind, *where->id);
    if (!key) return tl::unexpected(key.error());
    if (is_get) return get(*key, into);
    if (is_put) return put(*key, request, *body, into);
    return remove(*key, into);
  };
  if (const auto done = run(); !done) set_problem(into, done.error());
}

base::expected<model::catalog> catalog_admin::load() {
  return of_->catalog().and_then([](const auto& from) { return from->load(); });
}

base::expected<void> catalog_admin::list(model::element_kind kind, Response& into) {
  const auto catalog = load();
  if (!catalog) return tl::unexpected(catalog.error());
  set_json(into, render_elements(*catalog, kind));
  return {};
}

base::expected<void> catalog_admin::get(const model::element_key& key, Response& into) {
  const auto catalog = load();
  if (!catalog) return tl::unexpected(catalog.error());
  const auto found = find_element(*catalog, key);
  if (!found) return tl::unexpected(found.error());
  set_json(into, render_element(*found));
  return {};
}

base::expected<void> catalog_admin::put(const model::element_key& key, const Request& request,
                                        const ContentReader& body, Response& into) {
  const auto type = request.get_header_value("Content-Type");
  if (!type.empty() && !is_json(type))
    return base::fail(errc::media_type_unsupported,
                      "The body must be JSON, not " + in_quotes(type) +
                          ". Send Content-Type: application/json, or none.");
  // The session is leased before the body is read, so that the bound on sessions also covers the
  // threads that wait for slow bodies.
  const auto store = of_->catalog();
  if (!store) return tl::unexpected(store.error());
  const auto text = read_body(request, body);
  if (!text) return tl::unexpected(text.error());
  const auto element = parse_element(key, *text);
  if (!element) return tl::unexpected(element.error());
  const auto done = (*store)->import_document(document_of(*element));
  if (!done) return tl::unexpected(done.error());
  into.status = done->added > 0 ? 201 : 200;
  set_json(into, render_element(*element));
  return {};
}

base::expected<void> catalog_admin::remove(const model::element_key& key, Response& into) {
  return of_->catalog().and_then([&](const auto& from) { return from->remove(key); }).map([&] {
    into.status = 204;
  });
}

} // namespace matchcloud::http
