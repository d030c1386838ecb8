import { DOMAINS } from './seed.mjs';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The calls to compare: of the REST API, and of the console where only it has the call. */
export function callsOf({ newest, deepCursor }) {
  const ago = (days) => new Date(newest.getTime() - days * DAY_MS).toISOString();
  const [busy, second, common] = [1, 2, 3].map(domain);
  const [quiet, empty] = [domain(DOMAINS), domain(DOMAINS + 1)];
  const lists = {
    'newest messages': '',
    'oldest messages': 'order=asc',
    '200 per page': 'limit=200',
    'deep page': `cursor=${deepCursor}&limit=200`,
    'busy domain': `domain_id=${busy}`,
    'quiet domain, oldest mail': `domain_id=${quiet}`,
    'domain without mail': `domain_id=${empty}`,
    'direction=outbound': 'direction=outbound',
    'direction=inbound': 'direction=inbound',
    'status=delivered': 'status=delivered',
    'status=bounced': 'status=bounced',
    'status=uncertain, none': 'status=uncertain',
    'busy sender': 'from=user0@d1.scale.example',
    'sender without mail': 'from=nobody@d1.scale.example',
    'busy recipient': 'to=copies@archive.example',
    'recipient without mail': 'to=nobody@archive.example',
    message_id: 'message_id=%3C77.scale@p.example%3E',
    'message_id, none': 'message_id=%3Cnone@p.example%3E',
    'since yesterday': `since=${ago(1)}`,
    'one day of two months ago': `since=${ago(61)}&until=${ago(60)}`,
    'until 80 days ago': `until=${ago(80)}`,
    'rare status in the busy domain': `domain_id=${busy}&status=bounced`,
    'common status in a domain': `domain_id=${common}&status=bounced`,
    'status that the busy domain never has': `domain_id=${busy}&status=uncertain`,
    'rare direction in a busy domain': `domain_id=${second}&direction=inbound`,
    'direction and status, never together': 'direction=inbound&status=delivered',
    'direction, status and domain': `domain_id=${busy}&status=bounced&direction=outbound`,
    'busy sender, rare status': 'from=user0@d1.scale.example&status=failed&direction=outbound',
    'busy sender of another domain': `from=user0@d1.scale.example&domain_id=${second}`,
    'busy sender, one day': `from=user0@d1.scale.example&since=${ago(61)}&until=${ago(60)}`,
    'busy recipient in a domain': `to=copies@archive.example&domain_id=${busy}`,
    'busy recipient in the quiet domain': `to=copies@archive.example&domain_id=${quiet}`,
    'busy recipient, rare status': `to=copies@archive.example&status=bounced&domain_id=${busy}`,
    'busy recipient and its sender': 'to=copies@archive.example&from=user7@d39.scale.example',
    'search: whole address': 'q=user0@d1.scale.example',
    'search: part of an address': 'q=user0@d1',
    'search: address without mail': 'q=nobody@nowhere.example',
    'search: common word': 'q=invoice',
    'search: several common words': `q=${encodeURIComponent('password reset')}`,
    'search: words never together': `q=${encodeURIComponent('notes zebra')}`,
    'search: rare word': 'q=9996',
    'search: no such word': 'q=xylophone',
    'search: common trigrams, no match': 'q=shippedinvoice',
    'search: word in a quiet domain': `q=invoice&domain_id=${quiet}`,
    'search: word and rare status': `q=invoice&status=bounced&domain_id=${busy}`,
    'search: Message-ID': 'q=%3C77.scale@p.example%3E',
    'search: Message-ID without brackets': 'q=77.scale@p.example',
    'search: queue ID': 'q=S77',
  };
  return [
    ...Object.entries(lists).map(([name, query]) => ({ name, path: `/messages?${query}` })),
    { name: 'analytics of 90 days', path: '/analytics?period=90d' },
    { name: 'analytics of 90 days by domain', path: '/analytics?period=90d&dimension=domain' },
    { name: 'analytics of 90 days by hour', path: '/analytics?period=90d&granularity=hour&timezone=Asia/Kolkata' },
    { name: 'analytics of the busy domain', path: `/analytics?period=90d&domain_id=${busy}` },
    { name: 'totals of the last day', procedure: 'messages.totals', input: {} },
    { name: 'totals of the busy domain', procedure: 'messages.totals', input: { domain_id: busy } },
    { name: 'overview', procedure: 'overview.get', input: {} },
    { name: 'overview of the busy domain', procedure: 'overview.get', input: { domain_id: busy } },
  ];
}

function domain(n) {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}
