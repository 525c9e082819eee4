-- For wrk: the requests of many clients, FILE SEED. A line of FILE is a client's address, which
-- goes into X-Forwarded-For, and after a tab what If-None-Match says, if anything. All requests are
-- rendered before the clock starts; each thread sends them in an order of its own, made from SEED,
-- and starts over at the end: per request Lua does no more than take the next.

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
