#pragma once

#include "model/json/rapidjson.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace matchcloud::model {

/// Makes JSON values piece by piece. The values are valid as long as the pool; one thread.
class json_pool {
public:
  using value = rapidjson::Value;

  value text(std::string_view from) {
    return value{from.data(), static_cast<rapidjson::SizeType>(from.size()), pool_};
  }

  value texts(const auto& from) {
    value all{rapidjson::kArrayType};
    for (const auto& each : from)
      push(all, text(each));
    return all;
  }

  /// An object; the arguments are names and values alternately.
  template <class... More>
  value object(std::string_view name, value first, More... more) {
    value all{rapidjson::kObjectType};
    add(all, name, std::move(first), std::move(more)...);
    return all;
  }

  template <class... Values>
  value array(Values... values) {
    value all{rapidjson::kArrayType};
    (push(all, std::move(values)), ...);
    return all;
  }

  template <class... More>
  void add(value& object, std::string_view name, value first, More... more) {
    object.AddMember(text(name), first, pool_);
    if constexpr (sizeof...(more) > 0) add(object, std::move(more)...);
  }

  void push(value& array, value element) { array.PushBack(element, pool_); }

private:
  rapidjson::MemoryPoolAllocator<> pool_;
};

} // namespace matchcloud::model
