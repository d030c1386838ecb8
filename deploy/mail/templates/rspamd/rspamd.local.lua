-- Postroom's additions to Rspamd.
local lua_redis = require "lua_redis"
local rspamd_logger = require "rspamd_logger"
local rspamd_util = require "rspamd_util"
local ucl = require "ucl"

local APP_LOGIN = 'postroom'
-- User name of mail that Dovecot sends for filters, as set in master.cf.
local FILTERS = 'filters'
-- User name of Postfix's own bounces, as set in master.cf.
local BOUNCES = 'bounces'
local KEY_DOMAIN = '@apikey'
local STREAM = 'postroom:inbound'
local STREAM_LENGTH = '10000'
local TAGS_FIELD = 'X-Postroom-Tags'
local METADATA_FIELD = 'X-Postroom-Metadata'
local MAX_LABEL_BYTES = 16 * 1024
local MAX_RAW_BYTES = 2 * 1024 * 1024
-- Rspamd's own limit is one second, which a busy host exceeds; an entry that isn't written leaves a submission without its subject.
-- With the rest of a scan it must stay below task_timeout.
local STREAM_TIMEOUT_SECONDS = 5.0
-- The mail agent stores the bounce address of a message there, by its queue id, before the message is checked.
local SENDER_PREFIX = 'postroom:sender:'
local SENDER_TIMEOUT_SECONDS = 2.0

local redis = lua_redis.parse_redis_server('postroom')

local function envelope_sender(task) return ((task:get_from('smtp') or {})[1] or {}).addr or '' end

-- An API key signs in with its id. The mail agent checks which envelope senders it may have.
local function is_key(user) return user:sub(-#KEY_DOMAIN) == KEY_DOMAIN end

-- Whether a mailbox or an API key submits the message.
local function is_submission(task)
  local user = task:get_user()
  return user and user ~= APP_LOGIN and user ~= FILTERS and user ~= BOUNCES
end

-- Postfix checks only the envelope sender. Without a check of From, each mailbox could have mail signed as any managed
-- domain.
local function has_own_from(task)
  local user = task:get_user()
  if user == APP_LOGIN then return true end
  -- A filter's author chooses From; the envelope sender is the mailbox that the filter runs for.
  if user == FILTERS or is_key(user) then user = envelope_sender(task) end
  local from = task:get_from('mime')
  return from and #from == 1 and from[1].addr and from[1].addr:lower() == user:lower()
end

-- Other fields that mail programs show as the sender, or as who sent it on.
local OTHER_SENDERS = { 'Sender', 'Resent-From', 'Resent-Sender' }

local function has_own_senders(task)
  local user = task:get_user()
  if user == APP_LOGIN or user == FILTERS then return true end
  if is_key(user) then user = envelope_sender(task) end
  for _, name in ipairs(OTHER_SENDERS) do
    for _, header in ipairs(task:get_header_full(name) or {}) do
      local addresses = rspamd_util.parse_mail_address(header.decoded or '', task:get_mempool())
      if not addresses or #addresses ~= 1 or (addresses[1].addr or ''):lower() ~= user:lower() then return false end
    end
  end
  return true
end

-- RFC 5322, 2.1.1. Postfix breaks longer lines when it sends them, and the signature would not match any more.
local MAX_LINE = 998
-- Names of the fields that are signed, in lower case and each between colons.
local SIGNED_FIELDS = ':' .. rspamd_config:get_all_opt('dkim_signing').sign_headers:gsub('%([ox]%)', '') .. ':'

-- What is wrong with a line that is too long, nil without any. Mail programs write References of a long thread into one line, which may
-- break, since no signature covers it.
local function problem_of_long_line(task)
  local content = tostring(task:get_content())
  local start = 1
  local field = ''
  while true do
    local line_end = content:find('\n', start, true)
    local length = (line_end or #content + 1) - start
    if line_end and content:byte(line_end - 1) == 13 then length = length - 1 end
    -- The first empty line ends the header.
    if length == 0 then field = nil end
    if field then field = content:match('^([!-9;-~]+)[ \t]*:', start) or field end
    if length > MAX_LINE and not field then
      return 'A line is longer than 998 characters: send the text as quoted-printable or base64'
    elseif length > MAX_LINE and SIGNED_FIELDS:find(':' .. field:lower() .. ':', 1, true) then
      return 'A line of the field ' .. field .. ' is longer than 998 characters: break it before a space'
    end
    if not line_end then return end
    start = line_end + 1
  end
end

-- Dovecot adds this header at the top of a forwarded message. The author of a filter can add it to an auto-reply too, but
-- only after From.
local function is_forwarded(task)
  local marker = (task:get_header_full('X-Sieve-Redirected-From') or {})[1]
  local from = (task:get_header_full('From') or {})[1]
  return marker and (not from or marker.order < from.order)
end

-- What this server's Authentication-Results say in the message that a bounce or rejection returns. Rspamd removed all others.
local function returned_results(task)
  local content = tostring(task:get_content()):gsub('\r', '')
  local _, start = content:find('\n[Cc]ontent%-[Tt]ype: message/rfc822')
  if not start then _, start = content:find('\n[Cc]ontent%-[Tt]ype: text/rfc822%-headers') end
  if not start then return end
  return content:sub(start):gsub('\n[ \t]+', ' '):match('\nAuthentication%-Results: ([^\n]*)')
end

local function is_part_of(domain, parent) return domain == parent or domain:sub(-#parent - 1) == '.' .. parent end

-- A bounce goes to the envelope sender, whom a spammer chooses. If SPF says that the message isn't from there, and no signature
-- says that it is, the bounce would bother a stranger.
local function has_forged_sender(task)
  local results = returned_results(task)
  local spf = results and results:match('spf=(%a+)')
  if spf ~= 'fail' and spf ~= 'softfail' then return false end
  local sender = ((task:get_recipients('smtp') or {})[1] or {}).domain or ''
  for signer in results:gmatch('dkim=pass header%.d=([^%s;]+)') do
    if is_part_of(sender:lower(), signer:lower()) or is_part_of(signer:lower(), sender:lower()) then return false end
  end
  return true
end

local function returns_mail(task)
  return task:get_user() == BOUNCES or task:get_user() == FILTERS and envelope_sender(task) == ''
end

-- Forwarded mail keeps its original signature and gets none of ours, whatever its From. Bounces and rejections by a filter are
-- unsigned.
local function stays_unsigned(task)
  return returns_mail(task) or task:get_user() == FILTERS and is_forwarded(task)
end

local function reads_nothing(address)
  local name = ((address or {}).user or ''):lower():gsub('[-_.]', '')
  return name:find('^noreply') or name:find('^donotreply') or name:find('^mailerdaemon')
end

-- The envelope has the address for bounces, and To that of the sender.
local function answers_nobody(task)
  if task:get_user() ~= FILTERS or is_forwarded(task) then return false end
  return reads_nothing((task:get_recipients('smtp') or {})[1]) or reads_nothing((task:get_recipients('mime') or {})[1])
end

rspamd_config:register_symbol({
  name = 'POSTROOM_UNSIGNED',
  type = 'prefilter',
  callback = function(task)
    if stays_unsigned(task) then task:disable_symbol('DKIM_SIGNED') end
  end,
})

-- Without a key or Redis, Rspamd would let mail leave unsigned. Here it is deferred until it can be signed.
rspamd_config:register_symbol({
  name = 'POSTROOM_OUTBOUND',
  type = 'postfilter',
  priority = 10,
  callback = function(task)
    if answers_nobody(task) then
      task:set_pre_result('reject', 'Nobody reads the answer', 'postroom')
      return
    end
    if returns_mail(task) and has_forged_sender(task) then
      task:set_pre_result('discard', 'The sender is forged', 'postroom')
      return
    end
    if not task:get_user() or stays_unsigned(task) then return end
    local own = is_key(task:get_user()) and 'the envelope sender' or 'the address you signed in with'
    local long_line = task:get_user() ~= FILTERS and problem_of_long_line(task)
    if not has_own_from(task) then
      task:set_pre_result('reject', 'From must be ' .. own, 'postroom')
    elseif not has_own_senders(task) then
      task:set_pre_result('reject', 'Sender and Resent-From must be ' .. own, 'postroom')
    elseif long_line then
      task:set_pre_result('reject', long_line, 'postroom')
    elseif not task:has_symbol('DKIM_SIGNED') and task:get_user() == FILTERS then
      -- An auto-reply isn't deferred, because that would defer the message it replies to as well.
      task:set_pre_result('reject', 'No DKIM key is available', 'postroom')
    elseif not task:has_symbol('DKIM_SIGNED') then
      local problem = 'No DKIM key found for the domain in From. Check that the mail agent and Redis are running, and try again later'
      task:set_pre_result('soft reject', problem, 'postroom')
    end
  end,
})

-- Mail of mailboxes and API keys leaves with its bounce address as envelope sender. Without an answer it keeps its own.
rspamd_config:register_symbol({
  name = 'POSTROOM_SENDER',
  type = 'postfilter',
  priority = 5,
  callback = function(task)
    if not is_submission(task) or envelope_sender(task) == '' then return end
    local function on_reply(err, address)
      if err then
        rspamd_logger.errx(task, 'cannot look up the envelope sender: %s', err)
      elseif type(address) == 'string' then
        task:set_milter_reply({ change_from = '<' .. address .. '>' })
      end
    end
    local key = SENDER_PREFIX .. (task:get_queue_id() or '')
    lua_redis.redis_make_request(task, redis, nil, false, on_reply, 'GET', { key }, { timeout = SENDER_TIMEOUT_SECONDS })
  end,
})

-- The domain that DMARC, DKIM or SPF confirm as the sender's. Unlike headers, it can't come from the message itself.
local function authenticated_domain(task)
  for _, name in ipairs({ 'DMARC_POLICY_ALLOW', 'R_DKIM_ALLOW' }) do
    local symbol = (task:get_symbol(name) or {})[1]
    local domain = symbol and symbol.options and tostring(symbol.options[1] or ''):match('^[^:%s]+')
    if domain then return domain end
  end
  if task:has_symbol('R_SPF_ALLOW') then return ((task:get_from('smtp') or {})[1] or {}).domain end
end

-- The texts of a field, nil without any.
local function label_values(task, name)
  local values = {}
  for _, header in ipairs(task:get_header_full(name) or {}) do
    values[#values + 1] = (header.decoded or ''):sub(1, MAX_LABEL_BYTES)
  end
  if #values > 0 then return values end
end

-- Adds mail to a Redis stream for Postroom's agent: whole if it arrives, and without content if a mailbox or an API key submits it.
local function add_to_stream(task, on_reply)
  local user = task:get_user()
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
    authenticated_domain = authenticated_domain(task),
    tags = is_submission(task) and label_values(task, TAGS_FIELD) or nil,
    metadata = is_submission(task) and label_values(task, METADATA_FIELD) or nil,
  }, 'json-compact')
  local fields = { STREAM, 'MAXLEN', '~', STREAM_LENGTH, '*', 'meta', meta }
  if not user then
    fields[#fields + 1] = 'raw'
    fields[#fields + 1] = is_whole and raw or task:get_raw_headers()
  end
  local function on_answer(err)
    if err then rspamd_logger.errx(task, 'cannot add the message to the stream %s: %s', STREAM, err) end
    on_reply(err)
  end
  local options = { timeout = STREAM_TIMEOUT_SECONDS }
  lua_redis.redis_make_request(task, redis, nil, true, on_answer, 'XADD', fields, options)
end

-- What a mailbox or an API key submits has its recipients and subject only there, so it is deferred until it can be added. Messages
-- of the app aren't added.
rspamd_config:register_symbol({
  name = 'POSTROOM_SUBMITTED',
  type = 'postfilter',
  priority = 1,
  callback = function(task)
    if not is_submission(task) or task:has_pre_result() then return end
    -- Recipients don't see what Postroom reads there. 0 removes all fields of the name.
    task:set_milter_reply({ remove_headers = { [TAGS_FIELD] = 0, [METADATA_FIELD] = 0 } })
    add_to_stream(task, function(err)
      if not err then return end
      local problem = 'The message cannot be recorded. Check that Redis is running, and try again later'
      task:set_pre_result('soft reject', problem, 'postroom')
    end)
  end,
})

-- Postroom's agent reads entries that are missing from Postfix's log and the mailbox instead.
rspamd_config:register_symbol({
  name = 'POSTROOM_STREAM',
  type = 'idempotent',
  flags = 'empty,explicit_disable,ignore_passthrough',
  callback = function(task)
    if not task:get_user() then add_to_stream(task, function() end) end
  end,
})
