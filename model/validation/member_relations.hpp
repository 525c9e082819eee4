#pragma once

#include "model/json/json_document.hpp"
#include "model/text/violation.hpp"
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

/// No node of a document.
inline constexpr std::uint32_t no_node = 0xFFFF'FFFF;

/// A relation between members that does not hold, seen from their object.
struct relation_violation {
  /// The predicate continues the name of the place.
  violation what;
  /// The member where it is said; `no_node`: the object itself.
  std::uint32_t member = no_node;
  /// A member that is missing, and where it is said then; empty: none.
  std::string_view missing = {};
};

/// Where the walker is: what relations look at beyond their own object.
struct document_place {
  /// The objects around the one at hand; `no_node` where there is none.
  std::uint32_t matchmaker = no_node;
  std::uint32_t container_runtime = no_node;
};

/// The rules across members, over one document in document order. A relation counts only where the
/// members that it relates have no violation of their own, so that one mistake is one finding.
/// Members that are null count as absent, repeated ones do not count.
class member_relations {
public:
  member_relations(const json_document& document, const validation_rules& rules)
      : document_(document), rules_(rules) {}

  /// The first member of `object` by that neutral name, under whichever of its names, that is not
  /// null.
  std::uint32_t find(std::uint32_t object, std::string_view neutral) const noexcept;

  /// What does not hold in `object`, a finished object with relation `rule`.
  std::vector<relation_violation> check(object_rule rule, const object_shape& shape,
                                        std::uint32_t object, const document_place& place);

  /// The ports of that runtime follow. They are compared with those of the same map before them.
  void begin_ports(std::uint32_t container_runtime);

  /// A route's pattern, compared with those before it.
  std::optional<violation> check_glob_is_new(std::string_view glob, std::size_t route);

  /// The middleware kind `kind` (a bit) of the route with that list of middlewares.
  std::optional<violation> check_kind_is_new(std::uint64_t kind, std::uint32_t middlewares);

  /// Whether the service sets `name` itself in the environment of a runtime, for one of its ports.
  std::optional<violation> check_env_is_free(std::string_view name, const document_place& place);

  /// Names in an `env` and the matchmaker's, which may be the same, together, where the latter is
  /// within its limit; 0 otherwise. O(n log n).
  std::size_t merged_env_size(std::uint32_t env, const document_place& place);

private:
  struct port_numbers {
    std::uint64_t first;
    std::uint64_t last;
  };
  struct earlier_port {
    std::string_view label;
    std::string_view protocol;
    /// Absent: it has a range.
    std::optional<std::uint64_t> number;
    /// Of one that is open on the host.
    std::optional<port_numbers> host_range;
  };
  /// What the conditions on a port look at. An absent word is one that is wrong by itself.
  struct port_facts;

  std::string_view name(std::uint32_t node) const noexcept;
  /// The number that a member holds, where it has no violation of its own.
  std::optional<std::uint64_t> number(std::uint32_t node, const value_rule& rule) const noexcept;
  std::optional<std::string_view> word(std::uint32_t object, std::string_view member,
                                       std::span<const std::string_view> words,
                                       std::string_view default_word) const noexcept;
  std::optional<port_numbers> read_range(std::uint32_t range) const noexcept;

  std::optional<relation_violation> check_order(const object_shape& shape,
                                                std::uint32_t range) const;
  std::optional<relation_violation> check_choice(object_rule rule, const object_shape& shape,
                                                 std::uint32_t object) const;
  std::vector<relation_violation> check_port(std::uint32_t port);
  port_facts read_port(std::uint32_t port) const;
  bool has_host_network() const noexcept { return rules_.edition != service_edition::hosted; }
  std::optional<relation_violation> presence_violation(const port_facts& port) const;
  std::optional<relation_violation> network_violation(const port_facts& port) const;
  std::optional<relation_violation> host_violation(const port_facts& port) const;
  std::optional<relation_violation> repeated_number(const port_facts& port) const;
  std::optional<relation_violation> repeated_range(const port_facts& port) const;
  std::optional<relation_violation> check_config(std::uint32_t config) const;
  std::optional<relation_violation> check_cdn(std::uint32_t cdn) const;
  std::optional<relation_violation> check_matchmaker(std::uint32_t matchmaker) const;
  std::optional<relation_violation> check_game_mode(std::uint32_t mode,
                                                    const document_place& place);
  bool has_shared_image(const document_place& place);
  bool is_faulty(std::uint32_t runtime) const noexcept;

  /// What the service sets for the ports of a runtime.
  struct reserved_labels {
    /// The runtime that they were read from; absent: none yet.
    std::optional<std::uint32_t> runtime;
    /// As they stand in names of variables, in order.
    std::vector<std::string> labels;
  };

  /// The matchmaker's runtime. Searched once: the matchmaker may have more members than there are
  /// questions, and there is only one.
  std::uint32_t shared_runtime(const document_place& place);
  void read_labels(reserved_labels& into, std::uint32_t runtime) const;
  const std::vector<std::string>& labels_for(const document_place& place);
  std::string excerpt(std::string_view name) const;

  const json_document& document_;
  const validation_rules& rules_;
  std::vector<earlier_port> earlier_ports_;
  /// Whether the ports at hand stand in a runtime on the host's network; absent where that is wrong
  /// by itself. Searched once for all of them.
  std::optional<bool> on_host_;
  /// Folded, with the position of the route.
  std::map<std::string, std::size_t, std::less<>> globs_;
  std::uint64_t kinds_ = 0;
  std::uint32_t kinds_of_ = no_node;
  std::optional<std::uint32_t> shared_runtime_;
  std::optional<bool> has_shared_image_;
  /// Of the runtime last asked for and of the matchmaker's, kept apart because modes ask for both
  /// in turn.
  reserved_labels own_labels_;
  reserved_labels shared_labels_;
  /// The names in the matchmaker's `env`, in order.
  std::optional<std::vector<std::string_view>> matchmaker_env_;
};

} // namespace matchcloud::model
