#pragma once

#include "model/json_document.hpp"
#include "model/validation.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// What must hold of validation whatever a client sends. Shared by the fuzzer and the tests.
namespace matchcloud::validation_law {

using nodes = std::vector<std::uint32_t>;

inline bool is_body_error(base::errc code) {
  return code == base::errc::body_malformed || code == base::errc::body_too_deep ||
         code == base::errc::body_not_object;
}

/// All children of `of` that the step of a path means: repeated members are several.
inline void append_children(nodes& to, const model::json_document& document, std::uint32_t of,
                            std::string_view step) {
  const auto& parent = document.node(of);
  const bool is_object = parent.kind == model::json_kind::object;
  if (!is_object && parent.kind != model::json_kind::array) return;
  std::size_t position = 0;
  for (auto at = of + 1; at < parent.next; at = document.node(at).next, ++position)
    if (is_object ? document.name(document.node(at)) == step : std::to_string(position) == step)
      to.push_back(at);
}

inline nodes resolve(const model::json_document& document, const std::vector<std::string>& path,
                     std::size_t steps) {
  nodes reached{0};
  for (std::size_t i = 0; i < steps && !reached.empty(); ++i) {
    nodes next;
    for (const auto node : reached)
      append_children(next, document, node, path[i]);
    reached = std::move(next);
  }
  return reached;
}

/// Why the finding does not point at what its path names; empty where it does.
inline std::string check_place(const model::json_document& document, const model::finding& found) {
  const auto named = resolve(document, found.path, found.path.size());
  const auto stands_at = [&](std::uint32_t index) {
    const auto& node = document.node(index);
    return found.offset == node.offset || (node.name_at > 0 && found.offset == node.name_at - 1);
  };
  if (std::ranges::any_of(named, stands_at)) return {};
  // Or a member is missing from an object, of which there may be several by that path, too.
  const auto misses_it = [&](std::uint32_t index) {
    if (document.node(index).kind != model::json_kind::object) return false;
    nodes members;
    append_children(members, document, index, found.path.back());
    const bool is_absent =
        members.empty() || document.node(members.front()).kind == model::json_kind::null;
    return is_absent && found.offset == document.node(index).offset;
  };
  const auto around = resolve(document, found.path, found.path.size() - 1);
  return std::ranges::any_of(around, misses_it) ? "" : "it points at something else";
}

inline bool are_strings(const model::json_document& document, std::uint32_t array,
                        const std::vector<std::string>& expected) {
  const auto& node = document.node(array);
  if (node.kind != model::json_kind::array || node.count != expected.size()) return false;
  auto at = array + 1;
  for (const auto& each : expected) {
    if (document.node(at).kind != model::json_kind::string ||
        document.text(document.node(at)) != each)
      return false;
    at = document.node(at).next;
  }
  return true;
}

/// Whether the rendered finding at that node says what `found` does.
inline bool says(const model::json_document& document, std::uint32_t at,
                 const model::finding& found) {
  const auto member = [&](std::string_view name) {
    nodes all;
    append_children(all, document, at, name);
    return all.size() == 1 ? all.front() : 0;
  };
  return document.node(at).count == 3 && are_strings(document, member("path"), found.path) &&
         document.text(document.node(member("code"))) == found.code &&
         document.text(document.node(member("message"))) == found.message;
}

inline std::string check_rendering(const std::vector<model::finding>& findings) {
  const auto rendered = model::render_findings(findings);
  std::size_t bytes = findings.empty() ? 13 : 12;
  for (const auto& each : findings)
    bytes += model::rendered_bytes(each);
  if (rendered.size() != bytes) return "the rendered size is not what was said";
  constexpr std::size_t response_depth = 4;
  const auto document = model::json_document::parse_object(rendered, response_depth);
  if (!document) return "the rendered findings are no JSON: " + document.error().detail;
  const auto errors = resolve(*document, {"errors"}, 1);
  if (errors.size() != 1 || document->node(errors.front()).count != findings.size())
    return "the rendered findings are not as many";
  auto at = errors.front() + 1;
  for (const auto& each : findings) {
    if (!says(*document, at, each)) return "a rendered finding says something else";
    at = document->node(at).next;
  }
  return {};
}

inline std::string check_finding(const model::json_document& document, std::string_view body,
                                 const model::finding& found, bool may_be_the_end) {
  if (found.message.empty() || found.code.empty()) return "a finding says nothing";
  if (found.offset >= body.size()) return "an offset beyond the body";
  if (found.code == "too-many-errors")
    return found.path.empty() && may_be_the_end ? "" : "too-many-errors within the list";
  if (found.path.empty()) return "an empty path";
  return check_place(document, found);
}

/// The law. Empty where it holds, else what was broken.
inline std::string check(model::payload_kind kind, std::string_view body,
                         const model::validation_rules& rules,
                         const model::reference_names& names) {
  const auto findings = model::validate(kind, body, rules, names);
  if (findings != model::validate(kind, std::string{body}, rules, names))
    return "the same body gave other findings";
  if (!findings)
    return is_body_error(findings.error().code) && !findings.error().detail.empty()
               ? ""
               : "an error of another kind";
  const auto limit = rules.limits.findings;
  if (findings->size() > limit + 1) return "more findings than the limit";
  const auto document = model::json_document::parse_object(body, rules.limits.depth);
  if (!document) return "findings of a body that cannot be read";
  for (std::size_t i = 0; i < findings->size(); ++i) {
    const auto& found = (*findings)[i];
    const bool is_last = i + 1 == findings->size();
    if (auto broken = check_finding(*document, body, found, is_last); !broken.empty())
      return broken + ": " + model::render_findings({found}) + " at " +
             std::to_string(found.offset);
    if (i == limit && found.code != "too-many-errors") return "more findings than the limit";
  }
  return check_rendering(*findings);
}

/// The law for each kind of body, under the usual rules and under such as small bodies reach.
inline std::string check(std::string_view body) {
  model::validation_rules tight;
  tight.unknown_members = model::unknown_members::ignore;
  tight.edition = model::service_edition::hosted;
  tight.complete = true;
  tight.limits.findings = 3;
  tight.limits.findings_bytes = 1'024;
  for (auto limit : {&model::validation_limits::env, &model::validation_limits::ports,
                     &model::validation_limits::args, &model::validation_limits::routes,
                     &model::validation_limits::scripts, &model::validation_limits::echo,
                     &model::validation_limits::game_modes})
    tight.limits.*limit = 2;
  auto known = model::default_reference_names();
  known.regions = {"atl", "fra"};
  for (const auto kind :
       {model::payload_kind::version, model::payload_kind::game, model::payload_kind::group}) {
    if (auto broken = check(kind, body, {}, model::default_reference_names()); !broken.empty())
      return broken;
    if (auto broken = check(kind, body, tight, known); !broken.empty()) return broken;
  }
  return {};
}

} // namespace matchcloud::validation_law
