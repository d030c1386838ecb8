-- Returns the mail provider of a recipient's domain, by which statistics group them.
-- Called by analytics_pending_breakdown.
CREATE OR REPLACE FUNCTION mail_provider(domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN domain IN ('gmail.com', 'googlemail.com') THEN 'Google'
  WHEN domain ~ '^(outlook|hotmail|live|msn|passport)(\.(com|co))?\.[a-z]{2,3}$' THEN 'Microsoft'
  WHEN domain ~ '^(yahoo|ymail|rocketmail|aol|aim)(\.(com|co))?\.[a-z]{2,3}$' THEN 'Yahoo'
  WHEN domain IN ('icloud.com', 'me.com', 'mac.com') THEN 'Apple'
  WHEN domain ~ '^gmx\.[a-z]{2,3}$' OR domain IN ('web.de', 'mail.com') THEN 'GMX and WEB.DE'
  WHEN domain IN ('t-online.de', 'magenta.de') THEN 'Telekom'
  WHEN domain IN ('proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me') THEN 'Proton'
  WHEN domain IN ('fastmail.com', 'fastmail.fm') THEN 'Fastmail'
  WHEN domain IN ('yandex.ru', 'yandex.com', 'ya.ru') THEN 'Yandex'
  WHEN domain IN ('mail.ru', 'bk.ru', 'inbox.ru', 'list.ru') THEN 'Mail.ru'
  WHEN domain IN ('qq.com', 'foxmail.com') THEN 'Tencent'
  WHEN domain IN ('163.com', '126.com', 'yeah.net') THEN 'NetEase'
  WHEN domain IN ('orange.fr', 'wanadoo.fr') THEN 'Orange'
  WHEN domain IN ('free.fr', 'laposte.net', 'sfr.fr', 'libero.it', 'comcast.net', 'zoho.com') THEN domain
  ELSE 'Other'
END;
