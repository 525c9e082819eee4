#include "model/validation/validation.hpp"

#include "base/characters.hpp"

#include "model/json/json_document.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"
#include "model/validation/member_relations.hpp"
#include "model/validation/validation_messages.hpp"
#include "model/validation/value_checks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <optional>
#include <span>

namespace matchcloud::model {

namespace {

constexpr std::uint32_t no_limit = 0xFFFF'FFFF;
/// A typical number of findings in a document that has any.
constexpr std::size_t usual_findings = 8;
/// A typical nesting depth of containers.
constexpr std::size_t usual_depth = 12;

bool has_type(json_kind kind, value_type type) noexcept {
  switch (type) {
  case value_type::string: return kind == json_kind::string;
  case value_type::integer: return kind == json_kind::number;
  case value_type::boolean: return kind == json_kind::boolean;
  case value_type::object:
  case value_type::map: return kind == json_kind::object;
  case value_type::array: return kind == json_kind::array;
  }
  return false;
}

/// The characters of names that messages show within a path, such as `ports.game`.
constexpr base::character_set plain_name_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; }};

bool is_container(const json_node& node) noexcept {
  return node.kind == json_kind::object || node.kind == json_kind::array;
}

/// Whether `a` is about a size and `b` is not. Violations about sizes are reported first.
bool goes_before(const violation& a, const violation& b) noexcept {
  return is_about_size(a.code) && !is_about_size(b.code);
}

/// Validates a document against its schema, in document order and without recursion. The path to
/// the current value is a stack of open containers; textual paths are built only for findings.
class walker {
public:
  walker(const json_document& document, const validation_rules& rules, const reference_names& names,
         std::size_t most)
      : document_(document),
        rules_(rules),
        names_(names),
        relations_(document, rules),
        most_(most) {
    open_.reserve(usual_depth);
  }

  /// The findings; nothing if there are more than `most`.
  std::optional<std::vector<finding>> run(const value_rule& body) {
    open(0, &body);
    while (!open_.empty() && !full_) {
      auto& top = open_.back();
      if (top.following == document_.node(top.node).next) {
        close();
        continue;
      }
      top.current = top.following;
      const auto& value = document_.node(top.current);
      top.following = value.next;
      ++top.position;
      if (!value.repeated && top.allowed-- == 0) {
        // Beyond the limit: reported for the container, and not checked.
        top.following = document_.node(top.node).next;
        continue;
      }
      check_child();
    }
    if (has_more_) return std::nullopt;
    return std::move(findings_);
  }

private:
  struct container {
    std::uint32_t node;
    /// The current child and the one after it.
    std::uint32_t current;
    std::uint32_t following;
    /// Number of children begun, including the current one.
    std::uint32_t position;
    /// Number of children that may still be checked; repeated ones do not count.
    std::uint32_t allowed;
    /// Null: everything inside is accepted.
    const value_rule* rule;
    /// A bit per member of the shape: those up to the current child, and all members, computed on
    /// demand.
    std::uint64_t seen;
    std::optional<std::uint64_t> present = std::nullopt;
    /// Whether it is in a repeated member, or is its value.
    bool repeated = false;
    /// Whether a reported member was probably meant to be one of a choice.
    bool choice_is_misnamed = false;

    const object_shape* shape() const noexcept { return rule ? rule->shape : nullptr; }
  };

  void open(std::uint32_t node, const value_rule* rule) {
    auto allowed = no_limit;
    if (rule && rule->most)
      allowed =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(rules_.limits.*rule->most, no_limit));
    const bool is_repeated = !open_.empty() && (open_.back().repeated || repeating_);
    open_.push_back({node, no_node, node + 1, 0, allowed, rule, 0});
    open_.back().repeated = is_repeated;
    if (!rule) return;
    // A map of ports is a member of its runtime.
    if (rule->key == key_rule::port_label) relations_.begin_ports(open_[open_.size() - 2].node);
    if (!rule->shape) return;
    if (rule->shape->rule != object_rule::matchmaker) return;
    matchmaker_ = node;
    relations_.begin_matchmaker();
  }

  void close() {
    if (const auto* shape = open_.back().shape()) {
      check_missing(*shape);
      check_relations(*shape);
    }
    open_.pop_back();
  }

  const json_node& child() const noexcept { return document_.node(open_.back().current); }

  void check_child() {
    const auto& top = open_.back();
    if (const auto* shape = top.shape()) return check_member(*shape);
    if (!top.rule || !top.rule->element) return descend_freely();
    if (top.rule->type == value_type::map) return check_entry(*top.rule);
    check_value(*top.rule->element);
  }

  void descend_freely() {
    if (child().repeated) add_duplicate();
    if (is_container(child())) open(open_.back().current, nullptr);
  }

  void check_member(const object_shape& shape) {
    auto& top = open_.back();
    const auto* member = find_member(shape, child().symbol);
    if (!member) return check_unknown(shape);
    const auto bit = std::uint64_t{1} << (member - shape.members.data());
    const bool repeated = (top.seen & bit) != 0;
    top.seen |= bit;
    if (repeated) return check_repeated(*member->value);
    if (child().kind == json_kind::null) {
      if (member->required)
        add("required", required_message(subject(depth()), member->value->type, true));
      return;
    }
    if (shape.rule == object_rule::exactly_one && !document_.node(top.node).repeated &&
        has_type(child().kind, member->value->type))
      check_kind_is_new(bit);
    check_value(*member->value);
  }

  void check_unknown(const object_shape& shape) {
    const bool is_violation = !shape.open && rules_.unknown_members == unknown_members::reject;
    if (!is_violation) return descend_freely();
    const auto* home = home_of(shape, child().symbol);
    if (!home) return add_unknown(shape);
    // A member of `config` that is misplaced in the body while `config` is missing is one mistake,
    // reported for the missing `config`.
    if (!is_present(shape, *home)) return descend_freely();
    add_displaced(*home);
  }

  /// The member of a body that a member of that name belongs in; null if there is none.
  const member_rule* home_of(const object_shape& shape, name_symbol name) const noexcept {
    if (open_.size() > 1) return nullptr;
    for (const auto& member : shape.members)
      if (member.value->shape && find_member(*member.value->shape, name)) return &member;
    return nullptr;
  }

  /// Whether the current object has the member, by its name or an alias.
  bool is_present(const object_shape& shape, const member_rule& member) {
    auto& top = open_.back();
    if (!top.present) {
      top.present = 0;
      document_.for_each_in(top.node, [&](const json_node& each) {
        if (const auto* found = find_member(shape, each.symbol))
          *top.present |= std::uint64_t{1} << (found - shape.members.data());
      });
    }
    return (*top.present >> (&member - shape.members.data()) & 1) != 0;
  }

  /// Reports a repeated member and also violations of its value, because the client may keep
  /// either. Rules across members apply only within the value, because the earlier member counts.
  void check_repeated(const value_rule& rule) {
    add_duplicate();
    if (child().kind == json_kind::null) return;
    repeating_ = true;
    check_value(rule);
    repeating_ = false;
  }

  /// Checks an entry of a map; its name counts as part of the value.
  void check_entry(const value_rule& map) {
    const auto& value = child();
    const auto& rule = *map.element;
    if (value.repeated) return check_repeated(rule);
    if (!has_type(value.kind, rule.type)) return add_wrong_type(rule);
    auto of_name = check_name(map);
    auto of_value = rule.type == value_type::string
                        ? check_text(rule, document_.text(value), checks())
                        : std::nullopt;
    if (of_name && !(of_value && goes_before(*of_value, *of_name)))
      return add_at(path_to(depth()), of_name->code,
                    name_subject(map.key) + " " + of_name->predicate, name_offset());
    if (of_value) return add(*of_value);
    if (is_container(value)) open_value(rule);
  }

  std::optional<violation> check_name(const value_rule& map) {
    const auto name = document_.name(child());
    auto found = check_key(map, name, checks());
    if (!found && map.key == key_rule::env_name)
      return relations_.check_env_is_free(name, place(open_.size() - 2));
    return found;
  }

  void check_value(const value_rule& rule) {
    const auto& value = child();
    if (!has_type(value.kind, rule.type)) return add_wrong_type(rule);
    switch (rule.type) {
    case value_type::string: return check_string(rule);
    case value_type::integer: return check_integer(rule);
    case value_type::boolean: return;
    case value_type::object:
    case value_type::map:
    case value_type::array: return open_value(rule);
    }
  }

  void check_string(const value_rule& rule) {
    const auto text = document_.text(child());
    auto found = check_text(rule, text, checks());
    if (!found && rule.text == text_rule::glob && !child().repeated) {
      const auto& routes = open_[open_.size() - 2];
      found = relations_.check_glob_is_new(text, routes.position - 1, routes.node);
    }
    if (found) add(*found);
  }

  void check_integer(const value_rule& rule) {
    const auto text = document_.text(child());
    const auto value = read_integer(text);
    if (!value) return add_wrong_type(rule);
    const auto bounds = bounds_of(rule, rules_.limits);
    if (rule.range && !is_within(*value, *rule.range))
      return add("out-of-range", out_of_range_message(subject(depth()), rule.range->meaning, text,
                                                      bounds, rules_.limits.echo));
    if (!rule.most) return;
    if (value->negative || value->magnitude < static_cast<std::uint64_t>(bounds.lowest))
      return add("too-low",
                 bounds_message(subject(depth()), text, "low", bounds, rules_.limits.echo));
    if (value->magnitude > bounds.highest)
      add("too-high", bounds_message(subject(depth()), text, "high", bounds, rules_.limits.echo));
  }

  /// Checks the number of entries of a map or array, and opens the container.
  void open_value(const value_rule& rule) {
    const auto at = open_.back().current;
    const auto limit = rule.most ? rules_.limits.*rule.most : 0;
    if (rule.most && rule.type != value_type::integer) {
      const auto entries = count_entries(at, limit);
      if (entries > limit)
        add("too-many", too_many_message(subject(depth()), entries, limit));
      else if (rule.key == key_rule::env_name && !repeating_ && !open_.back().repeated)
        check_merged_env(at, limit);
    }
    open(at, &rule);
  }

  std::size_t count_entries(std::uint32_t node, std::uint64_t limit) const noexcept {
    const auto& value = document_.node(node);
    if (value.count <= limit || value.kind == json_kind::array) return value.count;
    std::size_t entries = 0;
    document_.for_each_in(value, [&](const json_node& each) { entries += each.repeated ? 0 : 1; });
    return entries;
  }

  void check_merged_env(std::uint32_t env, std::uint64_t limit) {
    const auto entries = relations_.merged_env_size(env, place(open_.size() - 1));
    if (entries > limit) add("too-many", merged_too_many_message(subject(depth()), entries, limit));
  }

  void check_kind_is_new(std::uint64_t kind) {
    // The stack ends with the list of middlewares, the middleware and its kind.
    if (auto found = relations_.check_kind_is_new(kind, open_[open_.size() - 3].node)) add(*found);
  }

  void check_missing(const object_shape& shape) {
    const auto seen = open_.back().seen;
    for (std::size_t i = 0; i < shape.members.size() && !full_; ++i) {
      const auto& member = shape.members[i];
      if (!member.required || (seen >> i & 1) != 0) continue;
      const auto message = required_message(in_backticks(relations_.spelling_of(member.symbol)),
                                            member.value->type, false) +
                           displaced_into(member);
      add_missing(member.name, "required", message);
    }
  }

  /// Whether a rule is about what the document as a whole needs.
  static bool is_about_completeness(object_rule rule) noexcept {
    return rule == object_rule::config || rule == object_rule::cdn ||
           rule == object_rule::matchmaker || rule == object_rule::game_mode;
  }

  void check_relations(const object_shape& shape) {
    if (shape.rule == object_rule::none || full_) return;
    if (open_.back().repeated && is_about_completeness(shape.rule)) return;
    // A choice with a wrong name is one mistake, which was already reported.
    if (open_.back().choice_is_misnamed) return;
    const auto object = open_.back().node;
    for (const auto& found : relations_.check(shape.rule, shape, object, place(open_.size()))) {
      if (full_) return;
      add_relation(found);
    }
  }

  /// The objects that relations depend on, with the runtime at that position of the stack.
  document_place place(std::size_t runtime) const noexcept {
    return {matchmaker_, runtime < open_.size() ? open_[runtime].node : no_node};
  }

  check_context checks() noexcept {
    const bool may_suggest = findings_.size() < rules_.limits.suggestions;
    return {rules_, names_, may_suggest ? &suggestions_ : nullptr, &document_, open_.back().node};
  }

  // Findings. Levels count open containers: level 0 is the body, level n the current child of the
  // n-th container.

  std::size_t depth() const noexcept { return open_.size(); }

  /// The subject of a sentence about the value at `level`. Contains only names that the schema
  /// knows.
  std::string subject(std::size_t level, std::size_t echo_limit) const {
    if (level == 0) return "The body";
    const auto& parent = open_[level - 1];
    if (const auto* shape = parent.shape()) {
      const auto& current = document_.node(parent.current);
      return find_member(*shape, current.symbol) ? in_backticks(document_.name(current))
                                                 : "An object";
    }
    if (!parent.rule) return "An object";
    return entry_subject(level, echo_limit);
  }
  std::string subject(std::size_t level) const { return subject(level, rules_.limits.echo); }

  /// The subject for an element or an entry: `args[3]`, `ports.game`. It does not depend on the
  /// order of members.
  std::string entry_subject(std::size_t level, std::size_t echo_limit) const {
    const auto& parent = open_[level - 1];
    // Lists and maps are members of objects.
    const std::string owner{document_.name(document_.node(open_[level - 2].current))};
    if (document_.node(parent.node).kind == json_kind::array)
      return in_backticks(owner + "[" + std::to_string(parent.position - 1) + "]");
    const auto name = document_.name(document_.node(parent.current));
    if (!name.empty() && plain_name_characters.contains_all(name))
      return quoted_excerpt(owner + "." + std::string{name}, owner.size() + 1 + echo_limit);
    if (!may_show_names(parent.rule->key)) return "An entry of " + in_backticks(owner);
    return "The entry " + quoted_excerpt(name, echo_limit) + " of " + in_backticks(owner);
  }

  /// The subject of a sentence about the name of the current child.
  std::string name_subject(key_rule rule) const {
    const auto name = document_.name(child());
    const auto owner = subject(depth() - 1);
    if (name.empty() || !may_show_names(rule)) return "A name in " + owner;
    return "The name " + quoted_excerpt(name, rules_.limits.echo) + " in " + owner;
  }

  /// The subject of a sentence that quotes a further name from the client, and how much of that
  /// name it may show, so that both together stay within the limit.
  std::pair<std::string, std::size_t> subject_and_echo(std::size_t level) const {
    const auto echo = rules_.limits.echo;
    const bool is_named = level > 0 && open_[level - 1].rule != nullptr &&
                          open_[level - 1].rule->type == value_type::map;
    if (!is_named) return {subject(level), echo};
    return {subject(level, echo / 2), echo - echo / 2};
  }

  std::vector<std::string> path_to(std::size_t level) const {
    std::vector<std::string> path;
    path.reserve(level + 1);
    for (std::size_t i = 0; i < level; ++i) {
      const auto& parent = open_[i];
      if (document_.node(parent.node).kind == json_kind::array)
        path.push_back(std::to_string(parent.position - 1));
      else
        path.emplace_back(document_.name(document_.node(parent.current)));
    }
    return path;
  }

  /// Offset of the current child's name, including its quotation mark.
  std::size_t name_offset() const noexcept { return child().name_at - 1; }

  void add_wrong_type(const value_rule& rule) {
    add("wrong-type",
        wrong_type_message(subject(depth()), rule, document_, child(), rules_.limits.echo));
  }

  /// For a child with the same name as an earlier one, or with another name for it.
  void add_duplicate() {
    const auto* map = open_.back().rule;
    if (map != nullptr && map->type == value_type::map && !may_show_names(map->key))
      return add_at(path_to(depth()), "duplicate-member",
                    subject(depth() - 1) + " has a name more than once. Keep one of them.",
                    name_offset());
    const auto [owner, echo] = subject_and_echo(depth() - 1);
    const auto name = document_.name(child());
    add_at(path_to(depth()), "duplicate-member",
           child().repeated ? duplicate_member_message(owner, name, echo)
                            : two_names_message(owner, earlier_name(), name),
           name_offset());
  }

  /// The name of the first member that has the current child's symbol.
  std::string_view earlier_name() const noexcept {
    auto at = open_.back().node + 1;
    while (document_.node(at).symbol != child().symbol)
      at = document_.node(at).next;
    return document_.name(document_.node(at));
  }

  void add_unknown(const object_shape& shape) {
    const auto name = document_.name(child());
    const auto [owner, echo] = subject_and_echo(depth() - 1);
    auto message = unknown_member_message(owner, name, echo);
    const auto meant = checks().may_suggest(2 * shape.members.size())
                           ? closest_name(name, absent_names(shape))
                           : std::string_view{};
    append_suggestion(message, meant);
    note_choice(shape, meant);
    const auto* home = meant.empty() ? only_home_of(shape, child().symbol) : nullptr;
    if (home != nullptr)
      message.append(" It belongs in ")
          .append(in_backticks(relations_.spelling_of(home->symbol)))
          .append(".");
    else
      append_members(message, shape);
    add_at(path_to(depth()), "unknown-member", std::move(message), name_offset());
  }

  void append_members(std::string& message, const object_shape& shape) {
    std::vector<std::string_view> known;
    known.reserve(shape.members.size());
    for (const auto& member : shape.members)
      known.push_back(relations_.spelling_of(member.symbol));
    append_member_names(message, known);
  }

  /// Notes that an unknown member may be one of a choice: if the object has no other members, or if
  /// one of the choice is `meant`.
  void note_choice(const object_shape& shape, std::string_view meant) {
    const auto is_meant = [&](const member_rule& each) {
      return !each.required && !meant.empty() && (each.name == meant || each.alias == meant);
    };
    if (shape.rule == object_rule::exactly_one ||
        (shape.rule == object_rule::at_least_one && std::ranges::any_of(shape.members, is_meant)))
      open_.back().choice_is_misnamed = true;
  }

  /// The only member whose value can have a member of that name; null if there is none or several.
  static const member_rule* only_home_of(const object_shape& shape, name_symbol name) noexcept {
    const member_rule* home = nullptr;
    for (const auto& member : shape.members) {
      if (member.value->shape == nullptr || find_member(*member.value->shape, name) == nullptr)
        continue;
      if (home != nullptr) return nullptr;
      home = &member;
    }
    return home;
  }

  /// The names of members that the current object does not have, then their aliases.
  std::vector<std::string_view> absent_names(const object_shape& shape) {
    std::vector<std::string_view> names;
    names.reserve(2 * shape.members.size());
    for (const auto& member : shape.members)
      if (!is_present(shape, member)) names.push_back(member.name);
    for (const auto& member : shape.members)
      if (!member.alias.empty() && !is_present(shape, member)) names.push_back(member.alias);
    return names;
  }

  void add_displaced(const member_rule& home) {
    auto message =
        unknown_member_message(subject(depth() - 1), document_.name(child()), rules_.limits.echo);
    message.append(" It belongs in ").append(in_backticks(home.name)).append(".");
    add_at(path_to(depth()), "unknown-member", std::move(message), name_offset());
  }

  /// For a missing member of a body: a sentence about other members of the body that belong in it.
  std::string displaced_into(const member_rule& missing) const {
    if (open_.size() > 1 || !missing.value->shape) return {};
    const auto& shape = *missing.value->shape;
    std::string names;
    std::size_t count = 0;
    document_.for_each_in(document_.root(), [&](const json_node& node) {
      if (node.repeated || !find_member(shape, node.symbol)) return;
      names.append(names.empty() ? "" : ", ")
          .append(quoted_excerpt(document_.name(node), rules_.limits.echo));
      ++count;
    });
    if (count == 0) return {};
    return " Put it around " + names + ", which belong" + (count == 1 ? "s" : "") + " in `" +
           std::string{missing.name} + "`.";
  }

  void add_relation(const relation_violation& found) {
    if (!found.missing.empty())
      return add_missing(found.missing, found.what.code,
                         in_backticks(found.missing) + " " + found.what.predicate);
    const auto level = depth() - 1;
    const auto& object = open_.back();
    auto path = path_to(level);
    if (found.member == no_node)
      return add_at(std::move(path), found.what.code, subject(level) + " " + found.what.predicate,
                    document_.node(object.node).offset);
    const auto name = document_.name(document_.node(found.member));
    path.emplace_back(name);
    add_at(std::move(path), found.what.code, in_backticks(name) + " " + found.what.predicate,
           document_.node(found.member).offset);
  }

  void add_missing(std::string_view name, finding_code code, std::string message) {
    auto path = path_to(depth() - 1);
    path.emplace_back(name);
    add_at(std::move(path), code, std::move(message), document_.node(open_.back().node).offset);
  }

  void add(const violation& found) { add(found.code, subject(depth()) + " " + found.predicate); }

  void add(finding_code code, std::string message) {
    add_at(path_to(depth()), code, std::move(message), child().offset);
  }

  void add_at(std::vector<std::string> path, finding_code code, std::string message,
              std::size_t offset) {
    if (full_) return;
    if (findings_.size() == most_) {
      full_ = has_more_ = true;
      return;
    }
    if (findings_.empty()) findings_.reserve(usual_findings);
    finding found{std::move(path), code, std::move(message), offset};
    findings_bytes_ += rendered_bytes(found);
    full_ = findings_.size() == rules_.limits.findings ||
            findings_bytes_ > rules_.limits.findings_bytes;
    if (full_) {
      found = {{}, finding_code{"too-many-errors"}, {}, offset};
      found.message = findings_.empty() ? no_room_message(rules_.limits.findings_bytes, offset)
                                        : too_many_errors_message(findings_.size());
    }
    findings_.push_back(std::move(found));
  }

  const json_document& document_;
  const validation_rules& rules_;
  const reference_names& names_;
  member_relations relations_;
  /// Room for the usual depth, so that such payloads need no allocation.
  alignas(container) std::array<std::byte, usual_depth * sizeof(container)> open_memory_;
  std::pmr::monotonic_buffer_resource open_resource_{open_memory_.data(), open_memory_.size()};
  std::pmr::vector<container> open_{&open_resource_};
  std::uint32_t matchmaker_ = no_node;
  suggestion_budget suggestions_;
  std::vector<finding> findings_;
  std::size_t findings_bytes_ = 0;
  std::size_t most_;
  bool full_ = false;
  /// Whether the value that is being checked belongs to a repeated member.
  bool repeating_ = false;
  /// There are more than `most_`.
  bool has_more_ = false;
};

} // namespace

base::expected<std::vector<finding>> validate(payload_kind kind, std::string_view body,
                                              const validation_rules& rules,
                                              const reference_names& names) {
  auto found = validate_briefly(kind, body, rules, names, std::numeric_limits<std::size_t>::max());
  if (!found) return tl::unexpected(std::move(found).error());
  return **std::move(found);
}

base::expected<std::optional<std::vector<finding>>>
validate_briefly(payload_kind kind, std::string_view body, const validation_rules& rules,
                 const reference_names& names, std::size_t most) {
  const auto members = member_names_of(rules);
  const auto document = json_document::parse_object(body, rules.limits.depth, &members);
  if (!document) return tl::unexpected(document.error());
  return walker{*document, rules, names, most}.run(body_rule(kind));
}

} // namespace matchcloud::model
