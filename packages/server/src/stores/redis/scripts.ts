/**
 * The Lua scripts of the store. Redis runs each of them atomically.
 *
 * A run has a list (its log) and a hash (its metadata, `about`), which expire by themselves. Open runs are in three sorted sets:
 * all, those of a group, and those with a deadline. The members of a set are sorted by name, and a name begins with the time.
 * `places` has the names of each run in these sets, and `expiry` when the run expires; every append removes expired runs.
 *
 * A script that writes begins with a command that a full Redis rejects, so that it never fails in the middle.
 */
import { createHash } from "node:crypto";

export interface Script {
  readonly lua: string;
  readonly sha: string;
}

/** In place of a time, as long as one. */
export const NEVER: string = "-".repeat(16);

const script = (lua: string): Script => ({ lua, sha: createHash("sha1").update(lua).digest("hex") });

/** Takes a run out of what is open. KEYS[3] to [6] are `open`, `places`, `expiry`, `due`; ARGV[2] is the prefix. */
const TAKE_OUT = `
  local function takeOut(run)
    local place = redis.call("HGET", KEYS[4], run)
    if not place then return end
    local since, due, group = place:sub(1, 16), place:sub(18, 33), place:sub(35)
    local member = since .. ":" .. run
    redis.call("ZREM", KEYS[3], member)
    redis.call("ZREM", KEYS[6], due .. ":" .. run)
    redis.call("ZREM", ARGV[2] .. "open:" .. group, member)
    redis.call("HDEL", KEYS[4], run)
    redis.call("ZREM", KEYS[5], run)
  end
`;

/**
 * ARGV: run, prefix, at, until, what becomes of what is open, its group, its time, that in 16 digits, when it is due in as many
 * (or as many dashes), its value; records.
 */
export const APPEND: Script = script(`
  local run, prefix, at, until_, change = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  local group, since, digits, due, value = ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]
  ${TAKE_OUT}
  if redis.call("LLEN", KEYS[1]) ~= tonumber(at) then return 0 end
  for index = 11, #ARGV do redis.call("RPUSH", KEYS[1], ARGV[index]) end
  redis.call("HSET", KEYS[2], "until", until_)
  local isOpen = redis.call("HEXISTS", KEYS[2], "since") == 1
  if change ~= "same" or not isOpen then takeOut(run) end
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
  for _, gone in ipairs(redis.call("ZRANGEBYSCORE", KEYS[5], "-inf", now, "LIMIT", 0, 5)) do
    if redis.call("EXISTS", prefix .. "run:{" .. gone .. "}:about") == 0 then takeOut(gone) end
  end
  return 1
`);

/**
 * KEYS: a list of what is open. ARGV: prefix, from where on, up to where, how many to look at. Gives what it found, and where it
 * ended if there is more.
 */
export const LIST: Script = script(`
  local members = redis.call("ZRANGEBYLEX", KEYS[1], ARGV[2], ARGV[3], "LIMIT", 0, ARGV[4])
  local found = {}
  for _, member in ipairs(members) do
    local run = member:sub(18)
    local about = redis.call("HMGET", ARGV[1] .. "run:{" .. run .. "}:about", "group", "since", "value")
    if about[2] then found[#found + 1] = { run, about[1], member:sub(1, 16), about[3] } end
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
export const ONCE: Script = script(`
  local kept = redis.call("GET", KEYS[1])
  if kept then return kept end
  redis.call("SET", KEYS[1], ARGV[1])
  redis.call("PEXPIREAT", KEYS[1], ARGV[2])
  return ARGV[1]
`);
