#include "http/operations/list.hpp"
#include "http/reference/reference.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace matchcloud::http {

namespace {

using base::errc;

void add(std::vector<errc>& to, std::initializer_list<errc> more) {
  to.insert(to.end(), more);
}

/// Errors of the transport, the gate and supervision, which every request may get.
constexpr auto of_all = {errc::request_malformed,
                         errc::target_too_long,
                         errc::head_too_large,
                         errc::body_too_large,
                         errc::version_unsupported,
                         errc::transfer_coding_unsupported,
                         errc::expectation_failed,
                         errc::head_timeout,
                         errc::body_timeout,
                         errc::rate_limited,
                         errc::content_coding_unsupported,
                         errc::overloaded,
                         errc::budget_exhausted,
                         errc::unavailable,
                         errc::draining,
                         errc::deadline_exceeded,
                         errc::internal};

bool is_uuid(std::string_view parameter) {
  return parameter == "game_id" || parameter == "upload_id" || parameter == "export_id" ||
         parameter == "token_id" || parameter == "namespace_id";
}

bool has_uuid(std::string_view path) {
  for (auto begin = path.find('{'); begin != path.npos; begin = path.find('{', begin + 1))
    if (is_uuid(path.substr(begin + 1, path.find('}', begin) - begin - 1))) return true;
  return false;
}

std::vector<errc> each_once(std::vector<errc> all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

} // namespace

std::vector<errc> errors_of(const operation_reference& what) {
  const auto& row = row_of(what.id);
  const auto path = what.path.empty() ? row.path : what.path;
  std::vector<errc> all{of_all};
  if (path.find('{') != path.npos) add(all, {errc::target_malformed});
  if (has_uuid(path)) add(all, {errc::id_malformed});
  if (row.body != body_kind::none && !row.takes_any_type) add(all, {errc::media_type_unsupported});
  if (row.body == body_kind::json && what.body.is_required && !what.body.has_own_errors)
    add(all, {errc::body_malformed, errc::body_too_deep, errc::body_not_object});
  if (row.plane == plane::ops || row.is_about_game) add(all, {errc::host_not_allowed});
  // On the data plane, too, if a page sends a body without its type.
  if (row.plane == plane::ops || row.is_about_game || row.body != body_kind::none)
    add(all, {errc::origin_not_allowed});
  if (!row.allowed.is_empty())
    add(all, {errc::token_missing, errc::token_malformed, errc::token_unknown, errc::token_expired,
              errc::token_revoked, errc::store_failed});
  if (!row.allowed.is_empty() && !has_all(row.allowed)) add(all, {errc::not_permitted});
  if (row.needs_fault_injection) add(all, {errc::route_not_found});
  if (!row.is_repeatable) add(all, {errc::outcome_unknown});
  all.insert(all.end(), what.errors.begin(), what.errors.end());
  return each_once(std::move(all));
}

std::vector<errc> errors_without_operation() {
  return {errc::method_not_implemented, errc::target_malformed, errc::route_not_found,
          errc::method_not_allowed};
}

std::vector<errc> errors_of(plane of) {
  auto all = errors_without_operation();
  for (const auto& each : references_of(of)) {
    const auto more = errors_of(each);
    all.insert(all.end(), more.begin(), more.end());
  }
  return each_once(std::move(all));
}

void show_failures(base::metric_set& in, const base::metric_text& text) {
  std::set<std::pair<std::string_view, std::string>> samples;
  const auto show = [&samples](operation which, errc code) {
    if (const int status = base::describe(code).status;
        status >= 500 && status != 501 && status != 505)
      samples.emplace(row_of(which).name, base::label_value(status));
  };
  for (const auto of : {plane::data, plane::ops})
    for (const auto& each : references_of(of))
      for (const auto code : errors_of(each))
        show(each.id, code);
  // A request that is refused before its path is read, such as one more than max-in-flight.
  for (const auto code : of_all)
    show(operation::unmatched, code);
  in.add(base::metric_type::counter, {text.name, text.help},
         [samples = std::move(samples)](const base::metric_set::sink& to) {
           for (const auto& [operation, status] : samples)
             to({{"operation", operation}, {"status", status}}, {});
         });
}

std::string_view refusal_headers(int status) noexcept {
  switch (status) {
  case 401:
  case 403: return "WWW-Authenticate";
  case 412: return "Vary ETag Accept-Ranges Cache-Control";
  case 415: return "Accept-Encoding";
  case 416: return "Content-Range Vary Accept-Ranges Cache-Control";
  case 429: return "Retry-After RateLimit-Policy RateLimit";
  case 503: return "Retry-After";
  default: return {};
  }
}

} // namespace matchcloud::http
