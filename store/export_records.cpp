#include "store/export_records.hpp"

#include "base/decimal.hpp"

#include <algorithm>
#include <string_view>

namespace matchcloud::store {

namespace {

/// The first record for which `is_it` returns true, or null.
template <class Predicate>
const export_record* find_first(const std::vector<export_record>& in, Predicate is_it) {
  const auto found = std::ranges::find_if(in, is_it);
  return found == in.end() ? nullptr : &*found;
}

} // namespace

object_name exports_folder() {
  return *object_name::parse("exports");
}

object_name object_of(const export_record& record) {
  return *object_name::parse("exports/" + model::to_string(record.facts.export_id) + "/" +
                             std::to_string(record.generation));
}

object_name gzip_of(const export_record& record) {
  return *object_name::parse(object_of(record).text() + ".gz");
}

std::optional<export_record> read_export_name(const object_name& name) {
  std::string_view text = name.text();
  if (text.ends_with(".gz")) text.remove_suffix(3);
  const auto first = text.find('/');
  const auto last = text.rfind('/');
  if (first == last) return std::nullopt;
  const auto export_id = model::parse_uuid(text.substr(first + 1, last - first - 1));
  const auto generation = base::parse_decimal<std::int64_t>(text.substr(last + 1));
  if (!export_id || !generation || *generation < 1) return std::nullopt;
  export_record record;
  record.facts.export_id = *export_id;
  record.generation = *generation;
  if (object_of(record).text() != text) return std::nullopt;
  return record;
}

bool is_as_new(const export_facts& facts, const history_snapshot& snapshot, bool has_running,
               const history_revisions& needs, std::int64_t linked_until_ts) noexcept {
  const bool grows =
      has_running && facts.query.span.end > static_cast<std::uint64_t>(snapshot.taken_ts);
  return !grows && snapshot.revisions.covers(needs) && facts.keep_until_ts >= linked_until_ts;
}

const export_record* query_exports::find_whole(std::int64_t linked_until_ts) const {
  return find_first(records, [&](const export_record& each) {
    return each.is_complete && each.snapshot &&
           is_as_new(each.facts, *each.snapshot, each.has_running, revisions, linked_until_ts);
  });
}

const export_record* query_exports::find_running() const {
  return find_first(records, [&](const export_record& each) {
    return !each.is_complete && each.leased_until_ts > now_ts &&
           (!each.snapshot || each.snapshot->revisions.covers(revisions));
  });
}

const export_record* query_exports::find_abandoned() const {
  return find_first(records, [&](const export_record& each) {
    return !each.is_complete && each.owner && each.leased_until_ts <= now_ts;
  });
}

} // namespace matchcloud::store
