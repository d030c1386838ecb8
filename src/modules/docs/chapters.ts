import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, renderPage } from './render';

/** The chapters for admins and API clients, by the name of their file in docs/. Those for contributors are not served. */
export const CHAPTER_GROUPS = [
  { title: 'Set up', chapters: ['installation', 'containers', 'mail-server', 'dns', 'configuration', 'access'] },
  {
    title: 'Mail',
    chapters: [
      'sending',
      'templates',
      'bounces',
      'suppressions',
      'messages',
      'message-content',
      'analytics',
      'reports',
      'published-files',
    ],
  },
  { title: 'API', chapters: ['api-contract', 'webhooks'] },
  { title: 'Run', chapters: ['health', 'monitoring', 'operations', 'backups', 'mail-backups', 'growing'] },
  { title: 'Words', chapters: ['glossary'] },
] as const;

export type ChapterName = (typeof CHAPTER_GROUPS)[number]['chapters'][number];
export type Chapter = Page & { name: ChapterName };

const NAMES: readonly string[] = CHAPTER_GROUPS.flatMap(({ chapters }) => chapters);
const rendered = new Map<ChapterName, Chapter>();

export function isChapter(name: string): name is ChapterName {
  return NAMES.includes(name);
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
  const found = CHAPTER_GROUPS.flatMap(({ chapters }) => chapters).flatMap((name) => {
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
  const found = CHAPTER_GROUPS.flatMap(({ chapters }) => chapters).flatMap((name) => {
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
