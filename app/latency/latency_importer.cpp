#include "app/latency/latency_importer.hpp"

#include "base/randomness.hpp"
#include "model/latency/predictor.hpp"
#include "model/latency/voices.hpp"
#include "model/text/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

namespace matchcloud::app {

namespace {

/// Messages quote at most this many code points of a name.
constexpr std::size_t echo_limit = 256;

/// Fails if the latency is physically impossible, with tolerance for clients that are not where
/// they seem to be.
void check_speed(const model::coordinates& at, const model::region& region, double milliseconds) {
  const double distance_m = model::great_circle_m(at, region.datacenter_coord);
  const double least = model::least_round_trip_ms(std::max(0.0, distance_m - model::misplaced_m));
  if (milliseconds < least)
    throw base::failure{
        base::errc::import_invalid,
        fmt::format(
            "`ms` is faster than light in glass: {} km to {} and back take at least "
            "{:.1f} ms. Correct the latency (milliseconds) or the place, or remove the row.",
            static_cast<int>(distance_m / 1'000), region.region_id, least)};
}

} // namespace

/// A file that is being checked.
struct latency_importer::open_file {
  std::string name;
  model::latency_csv_reader reader;
  bool has_header = false;
  /// False if its header is wrong, so that its rows cannot be read.
  bool is_readable = true;

  std::string place(std::uint64_t line) const { return name + ":" + std::to_string(line); }
};

latency_importer::latency_importer(latency_import_settings settings,
                                   cli::progress_display& progress)
    : settings_{std::move(settings)}, progress_{&progress} {}

// -- checking -----------------------------------------------------------------

void latency_importer::check(const std::string& file, line_input& in, const cli::interrupt& until) {
  const auto minute = static_cast<std::uint32_t>(settings_.now_ms / model::latency_minute_ms);
  open_file opened{model::printable_excerpt(file, echo_limit), model::latency_csv_reader{minute}};
  progress_->begin("rows checked", in.size_bytes());
  in.read(
      until, [&](model::input_line line) { return take(opened, line); },
      [&] { progress_->show(rows_.size(), in.read_bytes()); });
  progress_->clear();
  if (!opened.has_header)
    findings_.add(opened.place(1), "The file is empty. The first line must name the columns, such "
                                   "as latitude,longitude,region,ms.");
}

void latency_importer::take(open_file& file, const model::input_line& line) {
  if (!file.has_header) return take_header(file, line);
  if (!file.is_readable) return;
  const auto taken = base::attempt([&] {
    if (const auto row = base::value_of(file.reader.read(line)))
      take_row(*row);
    else
      ++former_;
  });
  if (!taken) findings_.add(file.place(line.number), taken.error().detail);
  if (rows_.size() <= row_limit) return;
  throw base::failure{base::errc::import_invalid,
                      "The files have more than " + std::to_string(row_limit) +
                          " rows. Split the files and import the parts one after the other."};
}

void latency_importer::take_header(open_file& file, const model::input_line& line) {
  file.has_header = true;
  auto read = file.reader.read_header(line);
  if (read && file.reader.has_addresses() && !geoip_) {
    if (settings_.open_geoip) {
      geoip_ = settings_.open_geoip();
    } else {
      read = base::fail(
          base::errc::import_invalid,
          "Rows by `address` need GeoIP files to find their places. Add --geoip FILE, or "
          "use `latitude` and `longitude`.");
    }
  }
  file.is_readable = read.has_value();
  if (!read) findings_.add(file.place(line.number), read.error().detail);
}

void latency_importer::take_row(const model::latency_row& row) {
  const auto& catalog = *settings_.catalog;
  const auto* const region = catalog.find_region(row.region_id);
  if (region == nullptr && settings_.skips_unknown) {
    ++skipped_;
    return;
  }
  if (region == nullptr)
    throw base::failure{
        base::errc::import_invalid,
        "The catalog does not have the region " + model::quoted_excerpt(row.region_id, echo_limit) +
            ". Import it first (`matchcloud catalog put region`), correct the id, or skip "
            "such rows with --skip-unknown."};
  rows_.push_back({cell_of(row, *region), row.minute,
                   static_cast<std::uint32_t>(region - catalog.regions.data()),
                   static_cast<float>(row.milliseconds), row.speakers});
}

model::latency_cell latency_importer::cell_of(const model::latency_row& row,
                                              const model::region& region) const {
  if (const auto* const cell = std::get_if<model::latency_cell>(&row.client)) return *cell;
  std::optional<model::coordinates> at;
  if (const auto* const where = std::get_if<model::coordinates>(&row.client)) {
    at = *where;
  } else {
    const auto& address = std::get<model::ip_address>(row.client);
    at = geoip_->locate(address);
    if (!at)
      throw base::failure{base::errc::import_invalid,
                          "No GeoIP file has a place for " + to_string(address) +
                              ". Use `latitude` and `longitude`, or remove the row."};
  }
  check_speed(*at, region, row.milliseconds);
  return model::place_cell(*at);
}

// -- writing ------------------------------------------------------------------

std::size_t latency_importer::join(std::size_t first, std::uint64_t import_id,
                                   model::learned_entry& into) const {
  const auto& region = settings_.catalog->regions[rows_[first].region];
  into = {rows_[first].cell, region.region_id, region.datacenter_coord, {}};
  auto next = first;
  for (; next < rows_.size() && rows_[next].cell == rows_[first].cell &&
         rows_[next].region == rows_[first].region;
       ++next) {
    const auto& row = rows_[next];
    model::merge(into.voices, model::voices_of(static_cast<double>(row.milliseconds), row.speakers,
                                               row.minute, row.cell, import_id + next - first));
  }
  return next;
}

latency_import_summary latency_importer::write(store::latency_store& into,
                                               const cli::interrupt& until) {
  // The order of a file's rows does not matter.
  std::ranges::sort(rows_, {}, [](const waiting_row& row) {
    return std::tuple{row.cell.key, row.region, row.minute, row.milliseconds, row.speakers};
  });
  // The same for the same rows.
  std::uint64_t import_id = 0;
  for (const auto& row : rows_)
    import_id = base::mixed(import_id ^ row.cell.key ^ std::uint64_t{row.region} << 32U ^
                            row.minute ^ std::bit_cast<std::uint32_t>(row.milliseconds));
  progress_->begin("rows added", rows_.size());
  latency_import_summary summary{rows_.size(), 0, skipped_, former_};
  std::vector<model::learned_entry> batch;
  for (std::size_t added = 0; added < rows_.size();) {
    batch.clear();
    auto next = added;
    while (next < rows_.size() && batch.size() < store::latency_batch_limit)
      next = join(next, import_id, batch.emplace_back());
    base::expected<void> done;
    if (until.came()) done = base::fail(base::errc::cancelled, "interrupted");
    if (done) done = into.add_latencies(batch);
    if (!done)
      throw base::failure{done.error().code, done.error().detail + "; " + std::to_string(added) +
                                                 " of " + std::to_string(rows_.size()) +
                                                 " rows were already added; import them again"};
    summary.entries += batch.size();
    added = next;
    progress_->show(added, added);
  }
  progress_->clear();
  return summary;
}

} // namespace matchcloud::app
