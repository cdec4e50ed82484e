/**
 * The Lua scripts of the store. Redis runs each of them atomically.
 *
 * A run has a list (its log) and a hash (its metadata, `meta`), which expire by themselves. Open entries are in three sorted sets:
 * all, those of a group, and those with a due time. A member is a time in 16 digits and the run, so that the order of the members is the
 * order of the list. The hash `members` has the members of each run, and the sorted set `expiry` when each run expires; every append
 * removes some expired runs.
 *
 * The first write of a script is a command that a full Redis rejects, so that no script fails between two writes.
 */
import { createHash } from "node:crypto";

export interface Script {
  readonly lua: string;
  readonly sha: string;
}

/** In place of a due time, and as long as one. */
export const NEVER: string = "-".repeat(16);

const script = (lua: string): Script => ({ lua, sha: createHash("sha1").update(lua).digest("hex") });

/** Removes a run from the sorted sets. KEYS[3] to [6] are `open`, `members`, `expiry`, `due`; ARGV[2] is the prefix. */
const UNLIST = `
  local function unlist(run)
    local times = redis.call("HGET", KEYS[4], run)
    if not times then return end
    local since, due, group = times:sub(1, 16), times:sub(18, 33), times:sub(35)
    local member = since .. ":" .. run
    redis.call("ZREM", KEYS[3], member)
    redis.call("ZREM", KEYS[6], due .. ":" .. run)
    redis.call("ZREM", ARGV[2] .. "open:" .. group, member)
    redis.call("HDEL", KEYS[4], run)
    redis.call("ZREM", KEYS[5], run)
  end
`;

/**
 * ARGV: run, prefix, position, until, change of the open entry ("same", "none", "open"), its group, its time, the time in 16 digits,
 * its due time in 16 digits or NEVER, its value; then the records.
 */
export const APPEND: Script = script(`
  local run, prefix, position, until_, change = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  local group, since, digits, due, value = ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]
  ${UNLIST}
  if redis.call("LLEN", KEYS[1]) ~= tonumber(position) then return 0 end
  for index = 11, #ARGV do redis.call("RPUSH", KEYS[1], ARGV[index]) end
  redis.call("HSET", KEYS[2], "until", until_)
  local isOpen = redis.call("HEXISTS", KEYS[2], "since") == 1
  if change ~= "same" or not isOpen then unlist(run) end
  if change == "none" then redis.call("HDEL", KEYS[2], "group", "since", "value") end
  if change == "open" then
    redis.call("HSET", KEYS[2], "group", group, "since", since, "value", value)
    redis.call("ZADD", KEYS[3], 0, digits .. ":" .. run)
    redis.call("ZADD", prefix .. "open:" .. group, 0, digits .. ":" .. run)
    if due ~= "${NEVER}" then redis.call("ZADD", KEYS[6], 0, due .. ":" .. run) end
    redis.call("HSET", KEYS[4], run, digits .. ":" .. due .. ":" .. group)
  end
  if change == "open" or (change == "same" and isOpen) then redis.call("ZADD", KEYS[5], until_, run) end
  redis.call("PEXPIREAT", KEYS[1], until_)
  redis.call("PEXPIREAT", KEYS[2], until_)
  local time = redis.call("TIME")
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, expired in ipairs(redis.call("ZRANGEBYSCORE", KEYS[5], "-inf", now, "LIMIT", 0, 5)) do
    if redis.call("EXISTS", prefix .. "run:{" .. expired .. "}:meta") == 0 then unlist(expired) end
  end
  return 1
`);

/**
 * KEYS: a sorted set of open entries. ARGV: prefix, the range of members (from, to), how many to read. Returns the entries that have
 * not expired, and the last member if there may be more.
 */
export const LIST: Script = script(`
  local members = redis.call("ZRANGEBYLEX", KEYS[1], ARGV[2], ARGV[3], "LIMIT", 0, ARGV[4])
  local found = {}
  for _, member in ipairs(members) do
    local run = member:sub(18)
    local meta = redis.call("HMGET", ARGV[1] .. "run:{" .. run .. "}:meta", "group", "since", "value")
    if meta[2] then found[#found + 1] = { run, meta[1], member:sub(1, 16), meta[3] } end
  end
  return { found, #members == tonumber(ARGV[4]) and members[#members] or false }
`);

/** KEYS: the lease. ARGV: holder, milliseconds. */
export const LEASE: Script = script(`
  local holder = redis.call("GET", KEYS[1])
  if holder and holder ~= ARGV[1] then return 0 end
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  return 1
`);

/** KEYS: the lease. ARGV: holder. */
export const RELEASE: Script = script(`
  if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end
`);

/** KEYS: the name. ARGV: value, until. */
export const PUT_IF_ABSENT: Script = script(`
  local stored = redis.call("GET", KEYS[1])
  if stored then return stored end
  redis.call("SET", KEYS[1], ARGV[1])
  redis.call("PEXPIREAT", KEYS[1], ARGV[2])
  return ARGV[1]
`);
