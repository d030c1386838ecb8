-- What Rspamd does for Postroom, beside its own checks.
local lua_redis = require "lua_redis"
local rspamd_logger = require "rspamd_logger"
local ucl = require "ucl"

local APP_LOGIN = 'postroom'
-- As master.cf names what Dovecot sends for a filter.
local FILTERS = 'filters'
local STREAM = 'postroom:inbound'
local STREAM_LENGTH = '10000'
local MAX_RAW_BYTES = 2 * 1024 * 1024

local redis = lua_redis.parse_redis_server('postroom')

local function envelope_sender(task) return ((task:get_from('smtp') or {})[1] or {}).addr or '' end

-- Rspamd lets mail go unsigned where it finds no key, or no Redis. Here it waits until there is one. And Postfix checks
-- the envelope only: without a look at From, each mailbox could have mail signed in the name of every domain here.
local function has_own_from(task)
  local user = task:get_user()
  if user == APP_LOGIN then return true end
  -- A script writes From as it likes; the envelope has the mailbox that it runs for.
  if user == FILTERS then user = envelope_sender(task) end
  local from = task:get_from('mime')
  return from and #from == 1 and from[1].addr and from[1].addr:lower() == user:lower()
end

-- Dovecot puts its mark before the message that it forwards. An answer may have the same mark from its script's author,
-- who writes the headers that come last.
local function is_forwarded(task)
  local mark = (task:get_header_full('X-Sieve-Redirected-From') or {})[1]
  local from = (task:get_header_full('From') or {})[1]
  return mark and (not from or mark.order < from.order)
end

-- What a filter forwards is somebody else's, whatever From says: it keeps their signature and gets none of ours. And what
-- it rejects goes back as a bounce, unsigned as Postfix's own are.
local function stays_unsigned(task)
  return task:get_user() == FILTERS and (envelope_sender(task) == '' or is_forwarded(task))
end

rspamd_config:register_symbol({
  name = 'POSTROOM_UNSIGNED',
  type = 'prefilter',
  callback = function(task)
    if stays_unsigned(task) then task:disable_symbol('DKIM_SIGNED') end
  end,
})

rspamd_config:register_symbol({
  name = 'POSTROOM_OUTBOUND',
  type = 'postfilter',
  priority = 10,
  callback = function(task)
    if not task:get_user() or stays_unsigned(task) then return end
    if not has_own_from(task) then
      task:set_pre_result('reject', 'From must be the address that you signed in with', 'postroom')
    elseif not task:has_symbol('DKIM_SIGNED') and task:get_user() == FILTERS then
      -- An answer does not wait: the message that it answers would wait with it.
      task:set_pre_result('reject', 'There is no DKIM key at hand', 'postroom')
    elseif not task:has_symbol('DKIM_SIGNED') then
      task:set_pre_result('soft reject', 'There is no DKIM key at hand, try again later', 'postroom')
    end
  end,
})

-- What comes in goes into a Redis stream, which keeps it while nobody reads. Mail does not wait for it: what is missing
-- there is taken from Postfix's log and from the mailbox. Of what a mailbox submits only the facts are told; of the app's
-- own messages nothing, since the app knows them.
rspamd_config:register_symbol({
  name = 'POSTROOM_STREAM',
  type = 'idempotent',
  flags = 'empty,explicit_disable,ignore_passthrough',
  callback = function(task)
    local user = task:get_user()
    if user == APP_LOGIN or user == FILTERS then return end
    local from = (task:get_from('smtp') or {})[1]
    local recipients = {}
    for _, recipient in ipairs(task:get_recipients('smtp') or {}) do recipients[#recipients + 1] = recipient.addr end
    local score = task:get_metric_score()
    local raw = task:get_content()
    local is_whole = #raw <= MAX_RAW_BYTES
    local meta = ucl.to_format({
      queue_id = task:get_queue_id() or '',
      message_id = task:get_message_id() or '',
      user = user,
      ip = tostring(task:get_from_ip() or ''),
      from = from and from.addr or '',
      recipients = recipients,
      action = task:get_metric_action(),
      score = score[1],
      subject = task:get_subject() or '',
      size = #raw,
      is_whole = is_whole,
    }, 'json-compact')
    local fields = { STREAM, 'MAXLEN', '~', STREAM_LENGTH, '*', 'meta', meta }
    if not user then
      fields[#fields + 1] = 'raw'
      fields[#fields + 1] = is_whole and raw or task:get_raw_headers()
    end
    local function on_reply(err)
      if err then rspamd_logger.errx(task, 'the message is not in the stream %s: %s', STREAM, err) end
    end
    lua_redis.redis_make_request(task, redis, nil, true, on_reply, 'XADD', fields)
  end,
})
