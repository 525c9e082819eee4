#include "model/catalog/catalog_document.hpp"

namespace matchcloud::model {

namespace {

/// The id 00000000-0000-4000-8000-0000000000NN.
uuid demo_id(std::uint8_t last_byte) {
  uuid id;
  id.bytes[6] = 0x40;
  id.bytes[8] = 0x80;
  id.bytes[15] = last_byte;
  return id;
}

region demo_region(const char* id, const char* city, double latitude, double longitude) {
  return {id, city, "Demo Cloud", {latitude, longitude}};
}

catalog_document make_demo_catalog() {
  catalog_document demo;
  // Twelve cities with large datacenters, on six continents; coordinates of the city centers in
  // degrees.
  demo.regions = {
      demo_region("bom", "Mumbai", 19.076, 72.8777),
      demo_region("fra", "Frankfurt", 50.1109, 8.6821),
      demo_region("gru", "Sao Paulo", -23.5505, -46.6333),
      demo_region("iad", "Ashburn", 39.0438, -77.4874),
      demo_region("jnb", "Johannesburg", -26.2041, 28.0473),
      demo_region("lax", "Los Angeles", 34.0522, -118.2437),
      demo_region("lon", "London", 51.5074, -0.1278),
      demo_region("los", "Lagos", 6.5244, 3.3792),
      demo_region("nrt", "Tokyo", 35.6762, 139.6503),
      demo_region("scl", "Santiago", -33.4489, -70.6693),
      demo_region("sin", "Singapore", 1.3521, 103.8198),
      demo_region("syd", "Sydney", -33.8688, 151.2093),
  };
  demo.tiers = default_tiers();
  demo.games = {{demo_id(0x01), "Demo Game"}};
  demo.namespaces = {
      {demo_id(0x11), demo_id(0x01), "prod", {"demo-game.example"}, std::nullopt},
      {demo_id(0x12), demo_id(0x01), "staging", {"staging.demo-game.example"}, std::nullopt},
  };
  return demo;
}

} // namespace

const catalog_document& demo_catalog() {
  static const catalog_document demo = make_demo_catalog();
  return demo;
}

} // namespace matchcloud::model
