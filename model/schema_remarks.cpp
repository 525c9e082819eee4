#include "model/schema_remarks.hpp"

namespace matchcloud::model {

namespace {

/// RFC 9110 section 5.6.2.
constexpr std::string_view token = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

} // namespace

std::string_view pattern_of(text_rule rule) noexcept {
  switch (rule) {
  case text_rule::display_name: return R"(^[^\s\x00-\x1f\x7f-\x9f]+( [^\s\x00-\x1f\x7f-\x9f]+)*$)";
  case text_rule::glob: return R"(^(\*\*|[^/*]*(\*[^/*]+)*\*?)(/(\*\*|[^/*]*(\*[^/*]+)*\*?))*$)";
  case text_rule::header_name: return token;
  case text_rule::header_value: return R"(^[^\x00-\x08\x0a-\x1f\x7f]*$)";
  case text_rule::public_url: return "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@: ][^/?#@ ]*([/?#][!-~]*)?$";
  case text_rule::any:
  case text_rule::not_empty:
  case text_rule::tier:
  case text_rule::word:
  case text_rule::network_mode: return {};
  }
  return {};
}

std::string_view pattern_of(key_rule rule) noexcept {
  switch (rule) {
  case key_rule::game_mode: return "^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?$";
  case key_rule::env_name: return "^[A-Za-z_][A-Za-z0-9_]*$";
  case key_rule::header_name: return token;
  case key_rule::port_label: return "^[a-z0-9]+(-[a-z0-9]+)*$";
  case key_rule::any:
  case key_rule::not_empty:
  case key_rule::region: return {};
  }
  return {};
}

std::string_view remark_of(text_rule rule) noexcept {
  switch (rule) {
  case text_rule::display_name:
    return "Words with single spaces between them; nothing invisible and no formatting characters.";
  case text_rule::glob:
    return "`*` matches within a segment, the segment `**` any number of them. Each glob once.";
  case text_rule::tier: return "A tier of the catalog.";
  case text_rule::public_url:
    return "An absolute http or https URL of a host that everybody can reach, without user "
           "information.";
  case text_rule::network_mode: return "`host` is not available in the hosted edition.";
  case text_rule::any:
  case text_rule::not_empty:
  case text_rule::header_name:
  case text_rule::header_value:
  case text_rule::word: return {};
  }
  return {};
}

std::string_view remark_of(key_rule rule) noexcept {
  switch (rule) {
  case key_rule::region: return "By regions of the catalog.";
  case key_rule::env_name:
    return "Names that the service sets itself are reserved: `PORT_` with the label of a port, and "
           "`PORT_RANGE_` with it and `_MIN` or `_MAX`. The limit holds for the matchmaker's and "
           "the game mode's together.";
  case key_rule::header_name:
    return "Reserved: `Host`, `Content-Length`, `Transfer-Encoding`, `Connection`.";
  case key_rule::any:
  case key_rule::not_empty:
  case key_rule::game_mode:
  case key_rule::port_label: return {};
  }
  return {};
}

std::string_view remark_of(object_rule rule, bool complete) noexcept {
  switch (rule) {
  case object_rule::ordered_range: return "`min` is not above `max`.";
  case object_rule::exactly_one:
    return "Exactly one of its members; a route has none of them twice.";
  case object_rule::at_least_one: return "With at least one of the members that are not required.";
  case object_rule::port:
    return "Either `port`, proxied by the gateway; or `port_range` with `proxy` `none`, a protocol "
           "`tcp` or `udp` and the runtime's `network_mode` `host`. Ports of the same number have "
           "different protocols, and ranges of the same protocol have no port in common.";
  case object_rule::game_mode:
    if (!complete) return {};
    return "With a runtime that has an `image_id`, of its own or of the matchmaker.";
  case object_rule::none:
  case object_rule::cdn:
  case object_rule::matchmaker: return {};
  }
  return {};
}

} // namespace matchcloud::model
