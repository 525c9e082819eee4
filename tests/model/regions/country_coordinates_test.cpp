#include "model/regions/country_coordinates.hpp"

#include "tests/catch.hpp"
#include "tests/not_tested.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace matchcloud::model {
namespace {

const std::string zone_table = "/usr/share/zoneinfo/zone.tab";

/// Countries for which the first row is not used: model/regions/country_coordinates.cpp says why.
const std::map<std::string, std::string> chosen_zones{{"AU", "Australia/Sydney"},
                                                      {"BR", "America/Sao_Paulo"},
                                                      {"CA", "America/Toronto"},
                                                      {"RU", "Europe/Moscow"},
                                                      {"UA", "Europe/Kyiv"}};

/// `+DDMM`, `+DDDMM`, `+DDMMSS` or `+DDDMMSS` (ISO 6709) in degrees, to 4 decimals.
double degrees(const std::string& text, std::size_t degree_digits) {
  const auto minutes = text.substr(1 + degree_digits, 2);
  const auto seconds = text.substr(3 + degree_digits);
  const double value = std::stod(text.substr(1, degree_digits)) + std::stod(minutes) / 60 +
                       (seconds.empty() ? 0 : std::stod(seconds) / 3600);
  return std::round((text.front() == '-' ? -value : value) * 1e4) / 1e4;
}

/// The expected content of the table, by country code.
std::map<std::string, coordinates> read_zone_table() {
  std::map<std::string, coordinates> places;
  std::ifstream file{zone_table};
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields{line};
    std::string code;
    std::string at;
    std::string zone;
    fields >> code >> at >> zone;
    const auto chosen = chosen_zones.find(code);
    if (chosen == chosen_zones.end() ? places.contains(code) : zone != chosen->second) continue;
    const auto longitude = at.find_first_of("+-", 1);
    places[code] = {degrees(at.substr(0, longitude), 2), degrees(at.substr(longitude), 3)};
  }
  return places;
}

/// Whether this machine's tz database has the version that the table was made from.
bool has_version_of_table() {
  std::ifstream file{"/usr/share/zoneinfo/tzdata.zi"};
  std::string line;
  return std::getline(file, line) && line == "# version 2025b";
}

TEST_CASE("The table of countries is that of the tz database") {
  if (!std::filesystem::exists(zone_table))
    return fixtures::not_tested("There is no " + zone_table);
  const auto expected = read_zone_table();
  // Other versions may have further countries, or more precise coordinates.
  const bool same = has_version_of_table();
  if (same) CHECK(country_places().size() == expected.size());
  for (const auto& [code, at] : expected) {
    INFO(code);
    const auto* const found = find_country(code);
    if (!same && found == nullptr) continue;
    REQUIRE(found != nullptr);
    CHECK(found->at.latitude == Approx(at.latitude).margin(same ? 1e-9 : 1));
    CHECK(found->at.longitude == Approx(at.longitude).margin(same ? 1e-9 : 1));
  }
}

TEST_CASE("print the table of countries", "[.countries]") {
  std::cout << std::setprecision(8);
  for (const auto& [code, at] : read_zone_table())
    std::cout << code << " " << at.latitude << " " << at.longitude << "\n";
}

TEST_CASE("Countries are where their people are") {
  // Independently known values: a wrong sign or row would be off by far more.
  CHECK(find_country("US")->at.longitude < -70);
  CHECK(find_country("RU")->at.longitude == Approx(37.6).margin(0.1));
  CHECK(find_country("AU")->at.longitude == Approx(151.2).margin(0.1));
  CHECK(find_country("BR")->at.latitude == Approx(-23.5).margin(0.1));
  CHECK(find_country("CA")->at.latitude == Approx(43.7).margin(0.1));
  CHECK(find_country("UA")->at.latitude == Approx(50.4).margin(0.1));
}

TEST_CASE("Codes of countries are read in any case, others are unknown") {
  CHECK(find_country("gb") == find_country("GB"));
  CHECK(find_country("uK") == find_country("GB"));
  CHECK(find_country("EL") == find_country("GR"));
  CHECK(find_country("GB")->code == "GB");
  for (const auto* unknown : {"", "G", "GBR", "ZZ", "XX", "EU", "A1", "--", "\xc3\x84"})
    CHECK(find_country(unknown) == nullptr);
}

} // namespace
} // namespace matchcloud::model
