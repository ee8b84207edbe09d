-- mix.lua - for wrk: a request to every route in turns, half of the time waiting in between; counts the replies that nobody asked
-- for. (No HEAD: wrk would wait for a body.)
local threads = {}

function setup(thread)
    table.insert(threads, thread)
    thread:set("id", #threads)
end

-- Finitely many questions, so that whatever is kept is kept soon: what grows after that is a leak.
local function squares(i)
    return string.format("%d:%d,%d:%d", 1 + i % 4, 1 + math.floor(i / 4) % 8, 5 + math.floor(i / 32) % 4, 1 + math.floor(i / 128) % 8)
end
local board = '{"permutation":[4,2,7,3,6,8,5,1]}'
local json = { ["Content-Type"] = "application/json" }
local makers = {
    function() return "GET", "/solve?n=8&limit=10" end,
    function() return "GET", "/count?n=12" end,
    function(i) return "GET", "/solve?n=8&exclude=" .. squares(i % 512) end,
    function(i) return "GET", "/count?n=10&exclude=" .. squares(i % 512) end,
    function(i) return "GET", "/solve?n=9&format=ndjson&exclude=" .. squares(i % 512) end,
    function(i) return "GET", "/solve?n=10&sample=3&seed=" .. i % 512 end,
    function(i) return "GET", "/solve?n=8&board=unicode&format=text&limit=" .. 1 + i % 90 end,
    function(i) return "GET", "/construct?n=" .. 4 + i % 1000 end,
    function(i) return "GET", "/construct?n=200&method=local-search&format=png&seed=" .. i % 512 end,
    function() return "GET", "/construct?n=100000&format=octet-stream" end,
    function(i) return "GET", "/puzzle?n=6&seed=" .. i % 512 end,
    function(i) return "GET", "/hint?n=8&place=" .. 1 + i % 8 .. ":" .. 1 + math.floor(i / 8) % 8 end,
    function(i) return "GET", "/trace?n=6&algorithm=rapella&limit=" .. 1 + i % 200 end,
    function(i) return "GET", "/compare?n=5&seed=" .. i % 64 end,
    function(i) return "GET", "/count?n=20&method=estimate&walks=200&seed=" .. i % 512 end,
    function() return "GET", "/algorithms" end,
    function() return "GET", "/openapi.yaml" end,
    function() return "POST", "/verify", board end,
    function(i) return "POST", "/jobs", '{"kind":"count","n":9,"exclude":"' .. squares(i % 128) .. '"}' end,
    function() return "OPTIONS", "/solve" end,
    function() return "GET", "/nothing" end,
    function() return "GET", "/solve?n=8.0" end,
    function() return "GET", "/count?n=65" end,
}
local expected = { [200] = true, [202] = true, [204] = true, [400] = true, [404] = true, [422] = true }
local turn = 0
unexpected, first = 0, ""

function request()
    turn = turn + 1
    local method, target, body = makers[1 + turn % #makers](turn * 7 + id * 1009)
    return wrk.format(method, target, body and json or nil, body)
end

-- Half of the time it waits: wrk asks for milliseconds, and an answer takes about one here.
function delay()
    return 1
end

function response(status, _, body)
    if not expected[status] then
        unexpected = unexpected + 1
        if first == "" then first = status .. " " .. string.sub(body, 1, 200) end
    end
end

function done(summary)
    local strange, sample = 0, ""
    for _, thread in ipairs(threads) do
        strange = strange + thread:get("unexpected")
        if sample == "" then sample = thread:get("first") end
    end
    local errors = summary.errors
    io.write(string.format("figures: %d requests, %d unexpected, %d not connected, %d not read, %d not written, %d late %s\n",
        summary.requests, strange, errors.connect, errors.read, errors.write, errors.timeout, sample))
end
