#include "tests/store/conformance/engines.hpp"

#include <atomic>
#include <thread>

namespace {

using namespace matchcloud;
using store::all_roles;
using store::conforming_store;

void import_ok(store::catalog_store& into, const model::catalog_document& document,
               bool changes = true) {
  CHECK(store::had(into.import_document(document)).changed == changes);
}

/// A document with one region, named so that imports can be distinguished.
model::catalog_document one_region(const std::string& id, const std::string& name) {
  model::catalog_document document;
  document.regions = {{id, name, "P", {1, 2}}};
  return document;
}

TEST_CASE("a new store has the default tiers, revision 0 and nothing else", "[engines]") {
  const conforming_store in;
  const auto catalog = in.catalog->load();
  REQUIRE(catalog.has_value());
  model::catalog expected;
  expected.tiers = model::default_tiers();
  CHECK(*catalog == expected);
  CHECK(in.catalog->revision() == 0);
}

TEST_CASE("what was imported is there after opening again", "[engines]") {
  const conforming_store first;
  import_ok(*first.catalog, model::demo_catalog());
  const all_roles in{first.open()};
  auto expected = *merge(model::catalog{}, model::demo_catalog());
  CHECK(expected.revision == 1);
  CHECK(in.catalog->load() == expected);
  CHECK(in.catalog->revision() == 1);
}

TEST_CASE("an import counts what it names and keeps what it does not", "[engines]") {
  const conforming_store in;
  const auto done = in.catalog->import_document(model::demo_catalog());
  REQUIRE(done.has_value());
  CHECK(done->regions == 12);
  CHECK(done->tiers == 7);
  CHECK(done->games == 1);
  CHECK(done->namespaces == 2);
  CHECK(done->changed);

  auto update = one_region("lon", "Londinium");
  update.tiers = {"zz-1"};
  import_ok(*in.catalog, update);
  const auto catalog = in.catalog->load();
  CHECK(catalog->regions.size() == 12);
  CHECK(catalog->find_region("lon")->region_display_name == "Londinium");
  CHECK(catalog->tiers.size() == 8);
  CHECK(catalog->tiers.back() == "zz-1");
  CHECK(catalog->revision == 2);
}

TEST_CASE("an import that changes nothing leaves the revision and the other readers in peace",
          "[engines]") {
  const conforming_store writer;
  const all_roles reader{writer.open()};
  import_ok(*writer.catalog, model::demo_catalog());
  CHECK(tells(*reader.feed));
  import_ok(*writer.catalog, model::demo_catalog(), false);
  CHECK(writer.catalog->revision() == 1);
  CHECK(reader.feed->changed() == false);
}

TEST_CASE("a poll tells of what others committed, first of all and once each", "[engines]") {
  const conforming_store writer;
  const all_roles reader{writer.open()};
  CHECK(tells(*reader.feed));
  CHECK(reader.feed->changed() == false);
  import_ok(*writer.catalog, one_region("a", "A"));
  CHECK(tells(*reader.feed));
  CHECK(reader.feed->changed() == false);
  CHECK(reader.catalog->load()->find_region("a") != nullptr);
  // Changes by sessions of the same process count as well.
  CHECK(tells(*writer.feed));
  import_ok(*writer.catalog, one_region("b", "B"));
  CHECK(tells(*writer.feed));
  CHECK(writer.feed->changed() == false);
}

TEST_CASE("a namespace with an empty region list is not one with all regions", "[engines]") {
  const conforming_store in;
  auto document = model::demo_catalog();
  document.namespaces[0].regions.emplace();
  document.namespaces[1].regions = {"lon", "fra"};
  import_ok(*in.catalog, document);
  auto catalog = in.catalog->load();
  CHECK(catalog->namespaces[0].regions == std::vector<std::string>{});
  CHECK(catalog->namespaces[1].regions == std::vector<std::string>{"fra", "lon"});
  document.namespaces[0].regions.reset();
  import_ok(*in.catalog, document);
  CHECK_FALSE(in.catalog->load()->namespaces[0].regions.has_value());
}

TEST_CASE("a domain can go from one namespace to another in one import", "[engines]") {
  const conforming_store in;
  auto document = model::demo_catalog();
  import_ok(*in.catalog, document);
  std::swap(document.namespaces[0].domains, document.namespaces[1].domains);
  import_ok(*in.catalog, document);
  const auto catalog = in.catalog->load();
  CHECK(catalog->namespaces[0].domains == document.namespaces[0].domains);
  CHECK(catalog->namespaces[1].domains == document.namespaces[1].domains);
}

TEST_CASE("an import with a wrong reference writes nothing and names it", "[engines]") {
  const conforming_store in;
  auto document = model::demo_catalog();
  document.namespaces[0].regions = {"atlantis"};
  const auto done = in.catalog->import_document(document);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == base::errc::import_invalid);
  CHECK(done.error().detail.find("atlantis") != std::string::npos);
  CHECK(in.catalog->revision() == 0);
  CHECK(in.catalog->load()->regions.empty());
  import_ok(*in.catalog, model::demo_catalog()); // the failed import left no transaction open
}

TEST_CASE("names with quotes, NUL bytes and any language come back as they were", "[engines]") {
  const conforming_store in;
  auto document = one_region("a", "');DROP TABLE regions;--");
  document.regions.push_back({"b", std::string("x\0y", 3), "", {-90, 180}});
  document.regions.push_back({"c", "\u6771\u4eac \U0001f600", "\u00e9", {0.1, 1e-300}});
  import_ok(*in.catalog, document);
  CHECK(in.catalog->load()->regions == document.regions);
}

TEST_CASE("instances that import at once lose nothing and count every change", "[engines]") {
  constexpr int threads = 4;
  constexpr int imports = 8;
  const conforming_store in;
  std::vector<std::string> failures(threads);
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([t, &failures, &in] {
        const auto opened = in.open().and_then([](const auto& of) { return of->catalog(); });
        if (!opened) return void(failures[t] = opened.error().detail);
        for (int i = 0; i < imports; ++i) {
          const auto id = std::to_string(t) + "-" + std::to_string(i);
          const auto done = (*opened)->import_document(one_region(id, id));
          if (!done) return void(failures[t] = done.error().detail);
        }
      });
  }
  for (const auto& failure : failures)
    CHECK(failure == "");
  const auto catalog = in.catalog->load();
  REQUIRE(catalog.has_value());
  CHECK(catalog->regions.size() == threads * imports);
  CHECK(catalog->revision == threads * imports);
}

TEST_CASE("a reader sees one revision whole while another instance imports", "[engines]") {
  const conforming_store reader;
  std::atomic<bool> stop{false};
  std::jthread writer{[&] {
    const auto opened = reader.open().and_then([](const auto& of) { return of->catalog(); });
    for (int i = 1; opened && !stop; ++i) {
      auto document = one_region("a", std::to_string(i));
      document.regions.push_back({"b", std::to_string(i), "P", {}});
      if (!(*opened)->import_document(document)) return;
    }
  }};
  std::int64_t seen = 0;
  int loads = 0;
  while (seen < 30 && ++loads < 5'000'000) {
    const auto catalog = reader.catalog->load();
    REQUIRE(catalog.has_value());
    REQUIRE(catalog->revision >= seen);
    seen = catalog->revision;
    for (const auto& each : catalog->regions)
      REQUIRE(each.region_display_name == std::to_string(seen));
  }
  stop = true;
  CHECK(seen >= 30);
}

} // namespace
