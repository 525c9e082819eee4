#pragma once

#include "model/validation/port_relations.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

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
      : in_{document, rules}, ports_{in_} {}

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
  void begin_ports(std::uint32_t container_runtime) { ports_.begin(container_runtime); }

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
  std::optional<relation_violation> check_order(const object_shape& shape,
                                                std::uint32_t range) const;
  std::optional<relation_violation> check_choice(object_rule rule, const object_shape& shape,
                                                 std::uint32_t object);
  /// The message for an object with none of `choices`.
  std::string missing_choice(const std::vector<const member_rule*>& choices);
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

  member_finder in_;
  port_relations ports_;
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
