import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, renderPage } from './render';

/**
 * The chapters for admins and API clients, by the name of their file in docs/, with what a reader finds there. Those for
 * contributors are not served.
 */
export const CHAPTER_GROUPS = [
  {
    title: 'Set up',
    chapters: {
      installation: 'Make a Debian host a mail server with Postroom, and upgrade it.',
      containers: 'Build the two images, and run them with the compose file.',
      'mail-server': 'The parts of the mail server, its settings and queue, and who can receive and send.',
      dns: 'Publish the records of a domain, and fix what the checks find.',
      configuration: 'Where settings come from, and how to change them.',
      access: 'Roles, API keys, sign-in, hourly limits, the audit log, and restoring what was deleted.',
    },
  },
  {
    title: 'Mail',
    chapters: {
      sending: 'Send one message or many, with attachments, later, or without sending twice.',
      templates: 'Write messages with variables, publish versions, and send with them.',
      bounces: 'Find out which accepted messages were returned or reported as spam later.',
      suppressions: 'Keep mail from going to addresses that bounced, complained or unsubscribed.',
      messages: 'How long messages are kept, and how to find one among millions.',
      'message-content': 'Read, download and resend what a message contained.',
      analytics: 'Count messages by time, domain, status and provider.',
      reports: 'Receive the DMARC and TLS reports of other servers about your domains.',
      'published-files': 'What is served for MTA-STS and for the setup of mail programs.',
    },
  },
  {
    title: 'Reference',
    chapters: {
      'api-contract': 'Responses, errors, pagination, versions and retries of the API.',
      webhooks: 'Be notified of events, verify signatures, and replay deliveries.',
      glossary: 'What the words of the console, the API and these chapters mean.',
    },
  },
  {
    title: 'Operate',
    chapters: {
      health: 'What is checked, which alerts open, and who is notified.',
      monitoring: 'Metrics for Prometheus, alert rules, a Grafana dashboard, and the log.',
      operations: 'Restart and reload services, and apply changed settings of the mail server.',
      backups: 'Back up the database, prove that archives restore, and restore them.',
      'mail-backups': 'Back up the mail of all mailboxes, and restore one of them.',
      growing: 'Several instances, a replica of the database, and more than one mail server.',
    },
  },
] as const;

type Group = (typeof CHAPTER_GROUPS)[number];
type NamesOf<Each> = Each extends { chapters: infer Chapters } ? keyof Chapters : never;
export type ChapterName = NamesOf<Group>;
export type Chapter = Page & { name: ChapterName };

const NAMES = CHAPTER_GROUPS.flatMap(({ chapters }) => Object.keys(chapters)) as readonly ChapterName[];
const rendered = new Map<ChapterName, Chapter>();

export function isChapter(name: string): name is ChapterName {
  return (NAMES as readonly string[]).includes(name);
}

/** A chapter of the version that runs. Its file doesn't change meanwhile. */
export function readChapter(name: ChapterName): Chapter {
  const known = rendered.get(name);
  if (known) return known;
  const chapter = { name, ...renderPage(textOf(name), titleOf) };
  rendered.set(name, chapter);
  return chapter;
}

function textOf(name: ChapterName): string {
  return readFileSync(join(process.cwd(), 'docs', `${name}.md`), 'utf8');
}

/** The first line, without the mark of a heading. */
function titleOf(name: string): string | null {
  return isChapter(name) ? (textOf(name).split('\n', 1)[0] ?? '').replace(/^# /, '') : null;
}

type Found = { chapter: ChapterName; title: string; heading: string; id: string; excerpt: string };

const MAX_FOUND = 30;
const EXCERPT_LENGTH = 180;
const MAX_QUERY_LENGTH = 200;
const MAX_WORDS = 10;

const MAX_LISTED = 4;

/** Chapters and sections whose heading has all the words, also together with the title of the chapter. Whole chapters come first. */
export function sectionsNamed(query: string): Omit<Found, 'excerpt'>[] {
  const words = wordsOf(query);
  const found = NAMES.flatMap((name) => {
    const { title, sections } = readChapter(name);
    return sections.flatMap(({ heading, id }) => {
      const has = (text: string) => (word: string) => text.toLowerCase().includes(word);
      if (!words.some(has(heading)) || !words.every(has(`${title} ${heading}`))) return [];
      return [{ chapter: name, title, heading, id }];
    });
  });
  return found.sort((one, other) => Number(one.id !== '') - Number(other.id !== '')).slice(0, MAX_LISTED);
}

/** Sections that have all the words, those with a word in their heading first. */
export function searchChapters(query: string): Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = NAMES.flatMap((name) => {
    const { title, sections } = readChapter(name);
    return sections.flatMap(({ heading, id, text }) => {
      const inHeading = words.filter((word) => `${title} ${heading}`.toLowerCase().includes(word)).length;
      const whole = `${title} ${heading} ${text}`.toLowerCase();
      if (!words.every((word) => whole.includes(word))) return [];
      return [{ rank: inHeading, chapter: name, title, heading, id, excerpt: excerptOf(text, words) }];
    });
  });
  return found
    .sort((one, other) => other.rank - one.rank)
    .slice(0, MAX_FOUND)
    .map(({ rank: _, ...each }) => each);
}

function wordsOf(query: string): string[] {
  const words = query.slice(0, MAX_QUERY_LENGTH).toLowerCase().split(/\s+/);
  return [...new Set(words)].filter(Boolean).slice(0, MAX_WORDS);
}

/** The text around the first of the words. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0), text.length);
  const start = at > EXCERPT_LENGTH / 2 ? text.lastIndexOf(' ', at - EXCERPT_LENGTH / 2) + 1 : 0;
  const part = text.slice(start, start + EXCERPT_LENGTH);
  return `${start > 0 ? '…' : ''}${part}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}
