#include "bench/validation_bodies.hpp"

#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace matchcloud::bench {

namespace {

using json = rapidjson::Value;

using compact_writer = rapidjson::Writer<rapidjson::StringBuffer>;

const json* find(const json* object, const char* name) {
  if (!object) return nullptr;
  const auto found = object->FindMember(name);
  return found == object->MemberEnd() ? nullptr : &found->value;
}

/// Joins configs into one matchmaker.
class composition {
public:
  void add(const json& config) {
    ++number_;
    const auto* matchmaker = find(&config, "matchmaker");
    for (const auto& mode : find(matchmaker, "game_modes")->GetObject()) {
      auto joined = copy(mode.value);
      for (const auto* name : {"tier", "max_players", "idle_lobbies", "regions"})
        if (const auto* shared = find(matchmaker, name); shared && !joined.HasMember(name))
          joined.AddMember(rapidjson::StringRef(name), copy(*shared), pool());
      if (const auto* shared = find(matchmaker, "docker"); shared && !joined.HasMember("docker"))
        joined.AddMember("docker", copy(*shared), pool());
      if (joined.HasMember("docker")) name_ports(joined["docker"]);
      modes_.AddMember(own_name(mode.name), joined, pool());
    }
    if (const auto* scripts = find(&config, "scripts"))
      for (const auto& script : scripts->GetObject())
        scripts_.AddMember(own_name(script.name), copy(script.value), pool());
  }

  std::string text() {
    json matchmaker{rapidjson::kObjectType};
    matchmaker.AddMember("game_modes", modes_, pool());
    json config{rapidjson::kObjectType};
    config.AddMember("scripts", scripts_, pool());
    config.AddMember("matchmaker", matchmaker, pool());
    document_.SetObject();
    document_.AddMember("display_name", "All of them", pool());
    document_.AddMember("config", config, pool());
    rapidjson::StringBuffer buffer;
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer{buffer};
    writer.SetIndent(' ', 2);
    document_.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
  }

private:
  rapidjson::MemoryPoolAllocator<>& pool() { return document_.GetAllocator(); }
  json copy(const json& from) { return json{from, pool()}; }

  json own_name(const json& name) {
    return json{(name.GetString() + ("-" + std::to_string(number_))).c_str(), pool()};
  }

  /// Gives ports unique names and leaves out those with members unknown to the specification.
  void name_ports(json& runtime) {
    json ports{rapidjson::kObjectType};
    for (auto& each : runtime["ports"].GetObject())
      if (each.value.HasMember("port") || each.value.HasMember("port_range"))
        ports.AddMember(own_name(each.name), copy(each.value), pool());
    runtime["ports"] = ports;
  }

  rapidjson::Document document_;
  json modes_{rapidjson::kObjectType};
  json scripts_{rapidjson::kObjectType};
  std::size_t number_ = 0;
};

/// Writes a large configuration; in a faulty one most values are wrong, in varying ways.
class large_writer {
public:
  explicit large_writer(content what) : is_faulty_(what == content::faulty) {}

  std::string write(std::size_t game_modes) {
    writer_.StartObject();
    text("display_name", "A large one");
    open("config");
    open("matchmaker");
    open("game_modes");
    for (std::size_t i = 0; i < game_modes; ++i)
      write_mode(i);
    for (int closed = 0; closed < 4; ++closed)
      writer_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

private:
  static constexpr std::size_t entries = 64;
  static constexpr std::size_t ports = 16;
  static constexpr std::size_t headers = 32;

  void write_mode(std::size_t number) {
    open("mode-" + std::to_string(number));
    flag("listable");
    flag("taggable");
    number_of("max_players", 64);
    text("tier", is_faulty_ ? "basic-1d3" : "basic-1d2");
    write_idle_lobbies();
    write_regions();
    write_runtime();
    open("actions");
    for (const auto* action : {"create", "find", "join"})
      write_action(action);
    writer_.EndObject();
    writer_.EndObject();
  }

  void write_idle_lobbies() {
    open("idle_lobbies");
    number_of("min", 1);
    number_of(is_faulty_ ? "most" : "max", 4);
    writer_.EndObject();
  }

  void write_regions() {
    open("regions");
    for (std::size_t i = 0; i < entries; ++i) {
      open("region-" + std::to_string(i));
      write_idle_lobbies();
      text("tier", is_faulty_ ? "basic" : "basic-1d1");
      writer_.EndObject();
    }
    writer_.EndObject();
  }

  void write_runtime() {
    open("container_runtime");
    text("image_id", is_faulty_ ? "" : "0a1b2c3d-0000-4000-8000-000000000000");
    text("network_mode", is_faulty_ ? "hots" : "host");
    open("env");
    for (std::size_t i = 0; i < entries; ++i)
      text((is_faulty_ ? "GAME-SETTING-" : "GAME_SETTING_") + std::to_string(i), sentence(i, 270));
    writer_.EndObject();
    key("args");
    writer_.StartArray();
    for (std::size_t i = 0; i < entries; ++i)
      is_faulty_ ? writer_.Uint64(i) : string("--option-" + std::to_string(i) + "=value");
    writer_.EndArray();
    write_ports();
    writer_.EndObject();
  }

  void write_ports() {
    open("ports");
    for (std::size_t i = 0; i < ports; ++i) {
      open((is_faulty_ ? "Port-" : "port-") + std::to_string(i));
      number_of("port", static_cast<unsigned>(8'000 + i));
      text("protocol", i % 2 == 0 ? "https" : is_faulty_ ? "TCP" : "tcp");
      text("proxy", "gateway");
      writer_.EndObject();
    }
    writer_.EndObject();
  }

  void write_action(const char* name) {
    open(name);
    flag("enabled");
    open("verification");
    text("url", is_faulty_ ? "http://localhost/verify" : "https://example.com/verify?game=1");
    open("headers");
    for (std::size_t i = 0; i < headers; ++i)
      text((is_faulty_ ? "X Game " : "X-Game-") + std::to_string(i), sentence(i, 40));
    for (int closed = 0; closed < 3; ++closed)
      writer_.EndObject();
  }

  static std::string sentence(std::size_t number, std::size_t size) {
    std::string text = "value " + std::to_string(number) + ":";
    while (text.size() < size)
      text += " and so on";
    return text;
  }

  void flag(std::string_view name) {
    key(name);
    is_faulty_ ? string("true") : writer_.Bool(true);
  }

  void number_of(std::string_view name, unsigned value) {
    key(name);
    writer_.Uint(is_faulty_ ? value + 100'000 : value);
  }

  void text(std::string_view name, std::string_view value) {
    key(name);
    string(value);
  }

  void open(std::string_view name) {
    key(name);
    writer_.StartObject();
  }

  void key(std::string_view name) {
    writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }

  bool string(std::string_view value) {
    return writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }

  bool is_faulty_;
  rapidjson::StringBuffer buffer_;
  compact_writer writer_{buffer_};
};

} // namespace

std::vector<named_body> real_configs() {
  std::vector<named_body> bodies;
  for (const auto& entry : std::filesystem::directory_iterator{MATCHCLOUD_REAL_CONFIGS}) {
    std::ifstream in{entry.path()};
    bodies.push_back({entry.path().stem().string(),
                      {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}}});
  }
  std::ranges::sort(bodies, {}, &named_body::name);
  return bodies;
}

std::string minified(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  rapidjson::StringBuffer buffer;
  compact_writer writer{buffer};
  document.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string composed_config() {
  composition all;
  for (const auto& each : real_configs()) {
    rapidjson::Document document;
    document.Parse(each.text.data(), each.text.size());
    all.add(document["config"]);
  }
  return all.text();
}

std::string large_config(std::size_t game_modes, content what) {
  return large_writer{what}.write(game_modes);
}

} // namespace matchcloud::bench
