#pragma once

#include "model/json/json_document.hpp"
#include "model/text/violation.hpp"
#include "model/validation/member_names.hpp"
#include "model/validation/schema.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
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

/// The objects around the walker's position that relations depend on, besides their own object.
struct document_place {
  /// The nearest such objects; `no_node` if there is none.
  std::uint32_t matchmaker = no_node;
  std::uint32_t container_runtime = no_node;
};

/// Checks the rules across members of one document that has the symbols of members; call in
/// document order. A relation is checked only if the members that it relates have no violation of
/// their own, so that one mistake yields one finding. Members that are null count as absent;
/// repeated ones are ignored.
class member_relations {
public:
  member_relations(const json_document& document, const validation_rules& rules)
      : document_(document), rules_(rules) {}

  /// The first member of `object` that is not null and has that name or one of its aliases.
  std::uint32_t find(std::uint32_t object, member_name name) const noexcept {
    return find(object, name.symbol);
  }
  std::uint32_t find(std::uint32_t object, name_symbol name) const noexcept;

  /// The violations in `object`, which is complete and has the relation `rule`.
  std::vector<relation_violation> check(object_rule rule, const object_shape& shape,
                                        std::uint32_t object, const document_place& place);

  /// How the client spells a member: its first spelling in the document or, if it is absent, its
  /// alias if it has one. O(document) once for each member that has an alias.
  std::string_view spelling_of(name_symbol name);
  std::string_view spelling_of(member_name name) { return spelling_of(name.symbol); }

  /// Starts a matchmaker. A document has several only if the member is repeated.
  void begin_matchmaker() noexcept;

  /// Starts the ports of a runtime. Each port is compared with the earlier ones of the same map.
  void begin_ports(std::uint32_t container_runtime);

  /// Compares a route's pattern with those of earlier routes; `routes` is their list.
  std::optional<violation> check_glob_is_new(std::string_view glob, std::size_t route,
                                             std::uint32_t routes);

  /// Checks that a route has no earlier middleware of `kind` (a bit); `middlewares` is its list.
  std::optional<violation> check_kind_is_new(std::uint64_t kind, std::uint32_t middlewares);

  /// Checks that the service does not set `name` itself in a runtime's environment, for one of its
  /// ports.
  std::optional<violation> check_env_is_free(std::string_view name, const document_place& place);

  /// The number of distinct names in `env` and the matchmaker's `env` together, if the latter is
  /// within its limit; 0 otherwise. Both may be the same. O(n log n).
  std::size_t merged_env_size(std::uint32_t env, const document_place& place);

private:
  struct port_numbers {
    std::uint64_t first;
    std::uint64_t last;
  };
  struct earlier_port {
    std::string_view label;
    std::string_view protocol;
    /// Absent if the port has a range.
    std::optional<std::uint64_t> number;
    /// Set for a port with a range that is open on the host.
    std::optional<port_numbers> host_range;
  };
  /// The inputs of the conditions on a port. A word that is invalid itself is absent.
  struct port_facts;

  std::string_view name(std::uint32_t node) const noexcept;
  /// The number in a member, if it has no violation of its own.
  std::optional<std::uint64_t> number(std::uint32_t node, const value_rule& rule) const noexcept;
  std::optional<std::string_view> word(std::uint32_t object, member_name member,
                                       std::span<const std::string_view> words,
                                       std::string_view default_word) const noexcept;

  std::optional<relation_violation> check_order(const object_shape& shape,
                                                std::uint32_t range) const;
  std::optional<relation_violation> check_choice(object_rule rule, const object_shape& shape,
                                                 std::uint32_t object);
  /// The message for an object with none of `choices`.
  std::string missing_choice(const std::vector<const member_rule*>& choices);
  std::vector<relation_violation> check_port(std::uint32_t port);
  port_facts read_port(std::uint32_t port) const;
  bool has_host_network() const noexcept { return rules_.edition != service_edition::hosted; }
  bool is_host_port(std::uint64_t number) const noexcept {
    return number >= rules_.limits.host_port_lowest && number <= rules_.limits.host_port_highest;
  }
  /// Whether either end of the port's range is outside the host's ports.
  bool is_outside_of_host(const port_facts& port) const noexcept;
  std::string host_range_text() const;
  /// How to turn a port into one of the gateway, of the host, or of either. Each text begins in
  /// lower case.
  std::string gateway_advice(const port_facts& port) const;
  std::string host_advice(const port_facts& port, std::string_view network) const;
  std::string unproxied_advice(const port_facts& port, std::string_view network) const;
  std::optional<relation_violation> presence_violation(const port_facts& port) const;
  std::optional<relation_violation> network_violation(const port_facts& port) const;
  std::optional<relation_violation> host_violation(const port_facts& port) const;
  std::optional<relation_violation> repeated_number(const port_facts& port) const;
  std::optional<relation_violation> repeated_range(const port_facts& port) const;
  /// The end of an advice to add one, with the client's name for it.
  std::string runtime_with_image();
  std::optional<relation_violation> check_config(std::uint32_t config);
  std::optional<relation_violation> check_cdn(std::uint32_t cdn) const;
  std::optional<relation_violation> check_matchmaker(std::uint32_t matchmaker,
                                                     const document_place& place);
  std::optional<relation_violation> check_game_mode(std::uint32_t mode,
                                                    const document_place& place);
  bool has_shared_image(const document_place& place);
  bool is_not_object(std::uint32_t runtime) const noexcept;

  /// The labels of a runtime's ports, for which the service sets variables itself.
  struct reserved_labels {
    /// The runtime that they were read from; absent if none was read yet.
    std::optional<std::uint32_t> runtime;
    /// Spelled as in names of variables, in ascending order.
    std::vector<std::string> labels;
  };

  /// The matchmaker's runtime. Cached, because the matchmaker may have many members and each search
  /// is linear; there is only one matchmaker.
  std::uint32_t shared_runtime(const document_place& place);
  void read_labels(reserved_labels& into, std::uint32_t runtime) const;
  const std::vector<std::string>& labels_for(const document_place& place);
  std::string excerpt(std::string_view name) const;

  const json_document& document_;
  const validation_rules& rules_;
  std::vector<earlier_port> earlier_ports_;
  /// Whether the current ports belong to a runtime on the host's network; absent if its network
  /// mode is invalid itself. Looked up once for all of them.
  std::optional<bool> on_host_;
  /// That runtime. It may repeat `ports` many times, and each search is linear.
  std::uint32_t ports_of_ = no_node;
  /// Patterns in folded form, with the position of the route.
  std::map<std::string, std::size_t, std::less<>> globs_;
  std::uint32_t globs_of_ = no_node;
  std::uint64_t kinds_ = 0;
  std::uint32_t kinds_of_ = no_node;
  std::optional<std::uint32_t> shared_runtime_;
  std::optional<bool> has_shared_image_;
  /// The labels of the last runtime and of the matchmaker's, cached separately because game modes
  /// look up both in turn.
  reserved_labels own_labels_;
  reserved_labels shared_labels_;
  /// The names in the matchmaker's `env`, in ascending order.
  std::optional<std::vector<std::string_view>> matchmaker_env_;
  /// The spellings that were looked up so far, by symbol.
  std::map<name_symbol, std::string_view> spellings_;
};

} // namespace matchcloud::model
