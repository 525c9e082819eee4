#pragma once

#include "model/json/json_document.hpp"
#include "model/text/violation.hpp"
#include "model/validation/member_names.hpp"
#include "model/validation/schema.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// An index that stands for no node.
inline constexpr std::uint32_t no_node = 0xFFFF'FFFF;

/// A relation between members of an object that does not hold.
struct relation_violation {
  /// Its predicate continues the name of the member or object.
  violation what;
  /// The member that the finding is about; `no_node` means the object itself.
  std::uint32_t member = no_node;
  /// The name of a missing member, which the finding is then about; empty if none is missing.
  std::string_view missing = {};
};

/// Looks up members of a document that has the symbols of members. Members that are null count as
/// absent; repeated ones are ignored.
struct member_finder {
  const json_document& document;
  const validation_rules& rules;

  const json_node& node(std::uint32_t at) const noexcept { return document.node(at); }
  std::string_view name(std::uint32_t at) const noexcept { return document.name(node(at)); }
  /// The first member of `object` that is not null and has that name or one of its aliases.
  std::uint32_t find(std::uint32_t object, name_symbol name) const noexcept;
  std::uint32_t find(std::uint32_t object, member_name name) const noexcept {
    return find(object, name.symbol);
  }
  /// The number in a member, if it has no violation of its own.
  std::optional<std::uint64_t> number(std::uint32_t at, const value_rule& rule) const noexcept;
  /// The word in a member or, if that is absent, `default_word`; empty if it is invalid itself.
  std::optional<std::string_view> word(std::uint32_t object, member_name member,
                                       std::span<const std::string_view> words,
                                       std::string_view default_word) const noexcept;
};

struct port_numbers {
  std::uint64_t first;
  std::uint64_t last;
};

/// What later ports are compared with.
struct earlier_port {
  std::string_view label;
  std::string_view protocol;
  /// Absent if the port has a range.
  std::optional<std::uint64_t> number;
  /// Set for a port with a range that is open on the host.
  std::optional<port_numbers> host_range;
};

/// Checks the rules across the members of a port, and across the ports of a runtime.
class port_relations {
public:
  explicit port_relations(const member_finder& in) : in_{in} {}

  /// Starts the ports of a runtime. Each port is compared with the earlier ones of the same map.
  void begin(std::uint32_t container_runtime);
  std::vector<relation_violation> check(std::uint32_t port);

private:
  member_finder in_;
  std::vector<earlier_port> earlier_;
  /// Whether the current ports belong to a runtime on the host's network; absent if its network
  /// mode is invalid itself. Looked up once for all of them.
  std::optional<bool> on_host_;
  /// That runtime. It may repeat `ports` many times, and each search is linear.
  std::uint32_t ports_of_ = no_node;
};

} // namespace matchcloud::model
