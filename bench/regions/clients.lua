-- For wrk: the requests of many clients; its arguments are FILE SEED. A line of FILE has a client's
-- address for X-Forwarded-For and optionally, after a tab, the value of If-None-Match. All requests
-- are rendered before the clock starts. Each thread sends them in its own order, made from SEED,
-- and starts over at the end, so that per request Lua only takes the next one.

dofile(debug.getinfo(1, "S").source:match("^@(.*)/") .. "/../report.lua")

local threads = 0
local requests, count, at = {}, 0, 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  for line in io.lines(args[1]) do
    local address, etag = line:match("^([^\t]+)\t?(.*)$")
    wrk.headers["X-Forwarded-For"] = address
    wrk.headers["If-None-Match"] = etag ~= "" and etag or nil
    count = count + 1
    requests[count] = wrk.format("GET")
  end
  math.randomseed(tonumber(args[2]) * 1000 + number)
  for last = count, 2, -1 do
    local other = math.random(last)
    requests[last], requests[other] = requests[other], requests[last]
  end
end

function request()
  at = at % count + 1
  return requests[at]
end
