#include "model/validation.hpp"

#include "model/display_name.hpp"
#include "model/exact_integer.hpp"
#include "model/json_document.hpp"
#include "model/schema.hpp"
#include "model/suggestion.hpp"
#include "model/validation_messages.hpp"

namespace matchcloud::model {

namespace {

constexpr std::uint32_t no_node = 0xFFFF'FFFF;
/// Containers that are open at once in an ordinary document.
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

bool is_container(const json_node& node) noexcept {
  return node.kind == json_kind::object || node.kind == json_kind::array;
}

bool is_within(const exact_integer& value, const integer_range& range) noexcept {
  if (value.too_large) return false;
  if (!value.negative || value.magnitude == 0) {
    return value.magnitude <= range.highest &&
           (range.lowest <= 0 || value.magnitude >= static_cast<std::uint64_t>(range.lowest));
  }
  // The absolute value of the lowest, without overflow at the lowest of all.
  return range.lowest < 0 &&
         value.magnitude <= std::uint64_t{0} - static_cast<std::uint64_t>(range.lowest);
}

/// Compares a document with its schema, in document order and without recursion: the way from the
/// root to the value at hand is a stack of open containers, from which paths are read off only when
/// there is something to say.
class walker {
public:
  walker(const json_document& document, const validation_rules& rules, const reference_names& names)
      : document_(document), rules_(rules), names_(names) {
    open_.reserve(usual_depth);
  }

  std::vector<finding> run(const value_rule& body) {
    open(0, &body);
    while (!open_.empty() && !full_) {
      auto& top = open_.back();
      if (top.following == document_.node(top.node).next) {
        close();
        continue;
      }
      top.current = top.following;
      top.following = document_.node(top.current).next;
      ++top.position;
      check_child();
    }
    return std::move(findings_);
  }

private:
  struct container {
    std::uint32_t node;
    /// The child at hand and the one after it.
    std::uint32_t current;
    std::uint32_t following;
    /// Children begun, the one at hand included.
    std::uint32_t position;
    /// Null: anything goes inside.
    const value_rule* rule;
    /// A bit per member of the shape.
    std::uint64_t seen;

    const object_shape* shape() const noexcept { return rule ? rule->shape : nullptr; }
  };

  void open(std::uint32_t node, const value_rule* rule) {
    open_.push_back({node, no_node, node + 1, 0, rule, 0});
  }

  void close() {
    if (const auto* shape = open_.back().shape()) check_missing(*shape);
    open_.pop_back();
  }

  const json_node& child() const noexcept { return document_.node(open_.back().current); }

  void check_child() {
    const auto& top = open_.back();
    if (const auto* shape = top.shape()) return check_member(*shape);
    if (top.rule && top.rule->element) {
      const auto& rule = *top.rule->element;
      return child().repeated ? check_repeated(rule, {}) : check_value(rule);
    }
    descend_freely();
  }

  void descend_freely() {
    if (child().repeated) return add_duplicate({});
    if (is_container(child())) open(open_.back().current, nullptr);
  }

  void check_member(const object_shape& shape) {
    auto& top = open_.back();
    const auto name = document_.name(child());
    const auto* member = find_member(shape, name, rules_);
    if (!member) return check_unknown(shape);
    const auto bit = std::uint64_t{1} << (member - shape.members.data());
    const bool repeated = (top.seen & bit) != 0;
    top.seen |= bit;
    if (repeated)
      return check_repeated(*member->value, child().repeated ? std::string_view{} : member->name);
    if (child().kind == json_kind::null) {
      if (member->required)
        add("required", required_message(subject(depth()), member->value->type, true));
      return;
    }
    check_value(*member->value);
  }

  void check_unknown(const object_shape& shape) {
    if (!shape.open && rules_.unknown_members == unknown_members::reject) return add_unknown(shape);
    descend_freely();
  }

  /// One finding per value: what is wrong with the value itself goes before the repetition. Its
  /// inside is not looked at, because the earlier member counts.
  void check_repeated(const value_rule& rule, std::string_view known) {
    const auto findings_before = findings_.size();
    const bool is_null = child().kind == json_kind::null;
    const bool is_sound_container = is_container(child()) && has_type(child().kind, rule.type);
    if (!is_null && !is_sound_container) check_value(rule);
    if (findings_.size() == findings_before) add_duplicate(known);
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
    case value_type::array: return open(open_.back().current, &rule);
    }
  }

  void check_string(const value_rule& rule) {
    if (rule.text != text_rule::display_name) return;
    if (const auto fault = check_display_name(document_.text(child()), rules_.limits.*rule.most))
      add(fault->code, subject(depth()) + " " + fault->predicate);
  }

  void check_integer(const value_rule& rule) {
    const auto text = document_.text(child());
    const auto value = read_integer(text);
    if (!value) return add_wrong_type(rule);
    if (rule.range && !is_within(*value, *rule.range))
      add("out-of-range", out_of_range_message(subject(depth()), *rule.range, text));
  }

  void check_missing(const object_shape& shape) {
    const auto seen = open_.back().seen;
    for (std::size_t i = 0; i < shape.members.size() && !full_; ++i) {
      const auto& member = shape.members[i];
      if (!member.required || (seen >> i & 1) != 0) continue;
      auto path = path_to(depth() - 1);
      path.emplace_back(member.name);
      add_at(std::move(path), "required",
             required_message(quoted(member.name), member.value->type, false),
             document_.node(open_.back().node).offset);
    }
  }

  // Findings. Levels count open containers; level 0 is the body, level n the child at hand of the
  // n-th container.

  std::size_t depth() const noexcept { return open_.size(); }

  static std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

  /// What a sentence about the value at `level` begins with. Names only what the schema knows.
  std::string subject(std::size_t level) const {
    if (level == 0) return "The body";
    const auto& parent = open_[level - 1];
    if (const auto* shape = parent.shape()) {
      const auto name = document_.name(document_.node(parent.current));
      return find_member(*shape, name, rules_) ? quoted(name) : "An object";
    }
    if (!parent.rule) return "An object";
    const bool is_array = document_.node(parent.node).kind == json_kind::array;
    return (is_array ? "An element of " : "An entry of ") + subject(level - 1);
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

  void add_wrong_type(const value_rule& rule) {
    add("wrong-type", wrong_type_message(subject(depth()), rule.type, document_, child()));
  }

  void add_duplicate(std::string_view known) {
    add("duplicate-member",
        duplicate_member_message(subject(depth() - 1), document_.name(child()), known));
  }

  void add_unknown(const object_shape& shape) {
    const auto name = document_.name(child());
    std::vector<std::string_view> known;
    for (const auto& member : shape.members)
      known.push_back(member.name);
    std::string_view suggestion;
    if (findings_.size() < rules_.limits.suggestions) {
      auto candidates = known;
      for (const auto& member : shape.members)
        if (const auto alias = alias_of(member.name); !alias.empty()) candidates.push_back(alias);
      suggestion = closest_name(name, candidates);
    }
    add("unknown-member", unknown_member_message(subject(depth() - 1), name, known, suggestion));
  }

  void add(std::string_view code, std::string message) {
    add_at(path_to(depth()), code, std::move(message), child().offset);
  }

  void add_at(std::vector<std::string> path, std::string_view code, std::string message,
              std::size_t offset) {
    finding found{std::move(path), std::string(code), std::move(message), offset};
    findings_bytes_ += rendered_bytes(found);
    full_ = findings_.size() == rules_.limits.findings ||
            findings_bytes_ > rules_.limits.findings_bytes;
    if (full_) found = {{}, "too-many-errors", too_many_errors_message(findings_.size()), offset};
    findings_.push_back(std::move(found));
  }

  const json_document& document_;
  const validation_rules& rules_;
  const reference_names& names_;
  std::vector<container> open_;
  std::vector<finding> findings_;
  std::size_t findings_bytes_ = 0;
  bool full_ = false;
};

} // namespace

base::expected<std::vector<finding>> validate(payload_kind kind, std::string_view body,
                                              const validation_rules& rules,
                                              const reference_names& names) {
  const auto document = json_document::parse_object(body, rules.limits.depth);
  if (!document) return tl::unexpected(document.error());
  return walker{*document, rules, names}.run(body_rule(kind));
}

} // namespace matchcloud::model
