import { enteredTime, inputValue } from '@/lib/time/zoned-time';
import { PERIODS } from '../../../list/since';

type MessageFilter = {
  /** For example "Bounced messages, last week". */
  label: string;
  href: string;
  /** The days that a calendar period has, as ISO 8601. */
  days: [string, string] | null;
  /** Whether the words say nothing else. */
  isWhole: boolean;
};

type Parameters = Record<string, string>;

const KINDS: [words: string[], label: string, parameters: Parameters][] = [
  [['bounced', 'bounce', 'bounces'], 'Bounced', { status: 'bounced' }],
  [['failed', 'failure', 'failures'], 'Failed', { status: 'failed' }],
  [['deferred', 'delayed'], 'Deferred', { status: 'deferred' }],
  [['delivered'], 'Delivered', { status: 'delivered' }],
  [['sent'], 'Sent', { accepted: 'true' }],
  [['received'], 'Received', { status: 'received' }],
  [['spam'], 'Spam', { status: 'spam' }],
  [['uncertain', 'unconfirmed'], 'Unconfirmed', { status: 'uncertain' }],
  [['scheduled'], 'Scheduled', { status: 'scheduled' }],
  [['cancelled', 'canceled'], 'Cancelled', { status: 'cancelled' }],
  [['inbound', 'incoming'], 'Inbound', { direction: 'inbound' }],
  [['outbound', 'outgoing'], 'Outbound', { direction: 'outbound' }],
];

const FILLERS = new Set(
  'messages message mails mail emails email that were was in during the of from to with for all'.split(' '),
);

const ROLLING: [RegExp, keyof typeof PERIODS][] = [
  [/\b(last|past) (60 minutes|hour)\b/, '1h'],
  [/\b(last|past) (24 hours|24h|day)\b/, '24h'],
  [/\b(last 7 days|last 7d|past week)\b/, '7d'],
  [/\b(last 30 days|last 30d|past month)\b/, '30d'],
];

/** Calendar periods: the first day and the day after the last, null for those that end now. */
const CALENDAR: [string, (today: Day) => [first: Day, end: Day | null]][] = [
  ['today', (today) => [today, null]],
  ['yesterday', (today) => [today.plus(-1), today]],
  ['this week', (today) => [today.monday(), null]],
  ['last week', (today) => [today.monday().plus(-7), today.monday()]],
  ['this month', (today) => [today.firstOfMonth(), null]],
  ['last month', (today) => [today.firstOfMonth().plus(-1).firstOfMonth(), today.firstOfMonth()]],
];

/** The list of messages that words such as "bounced last week" ask for, by status or direction, period, and other text. */
export function messageFilter(text: string, now: Date, timeZone: string): MessageFilter | null {
  const spoken = ` ${text.trim().replace(/\s+/g, ' ')} `;
  const period = periodOf(spoken, now, timeZone);
  const words = (period?.rest ?? spoken).split(' ').filter((word) => word !== '' && !FILLERS.has(word));
  const kind = KINDS.find(([names]) => words.some((word) => names.includes(word)));
  const others = words.filter((word) => !kind?.[0].includes(word)).join(' ');
  if (!kind && (!period || others !== '')) return null;
  const query = new URLSearchParams({ ...kind?.[2], ...(others && { q: others }), ...period?.parameters });
  const name = kind ? `${kind[1]} messages` : 'Messages';
  return {
    label: [`${name}${others && ` matching “${others}”`}`, period?.label].filter(Boolean).join(', '),
    href: `/messages?${query}`,
    days: period?.days ?? null,
    isWhole: others === '',
  };
}

type Period = { label: string; parameters: Parameters; days: MessageFilter['days']; rest: string };

function periodOf(text: string, now: Date, timeZone: string): Period | null {
  for (const [words, since] of ROLLING) {
    if (!words.test(text)) continue;
    return {
      label: PERIODS[since].label.toLowerCase(),
      parameters: { since },
      days: null,
      rest: text.replace(words, ''),
    };
  }
  for (const [label, daysOf] of CALENDAR) {
    if (!text.includes(` ${label} `)) continue;
    const [first, end] = daysOf(dayOf(now, timeZone));
    const since = first.start();
    return {
      label,
      parameters: { since, ...(end && { until: end.start() }) },
      days: [since, (end ? end.plus(-1) : dayOf(now, timeZone)).start()],
      rest: text.replace(` ${label} `, ' '),
    };
  }
  return null;
}

type Day = { start: () => string; plus: (days: number) => Day; monday: () => Day; firstOfMonth: () => Day };

const DAY_MS = 86_400_000;

function dayOf(at: Date, timeZone: string): Day {
  return dayAt(new Date(`${inputValue(at, timeZone).slice(0, 10)}T00:00Z`), timeZone);
}

/** @param date the calendar day, as midnight in UTC */
function dayAt(date: Date, timeZone: string): Day {
  const plus = (days: number) => dayAt(new Date(date.getTime() + days * DAY_MS), timeZone);
  return {
    start: () => (enteredTime(date.toISOString().slice(0, 16), timeZone) as Date).toISOString(),
    plus,
    monday: () => plus(-((date.getUTCDay() + 6) % 7)),
    firstOfMonth: () => plus(1 - date.getUTCDate()),
  };
}
