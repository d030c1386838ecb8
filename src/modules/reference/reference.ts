import { type Document, servedDocument } from '@/server/rest/served-document';
import { type DescribedEvent, type Entry, type Operation, type Section, sectionsOf } from './operations';
import type { Field } from './schemas';

type Found = { entry: Entry; fields: string[] };

export type Reference = {
  /** The address of the API, as the settings have it. */
  server: string;
  sections: Section[];
  /** Operations and events that have all the words: in method, path, summary, description, fields, values or error codes. */
  search: (query: string) => Found[];
  /** The first operations and events whose method, path and summary have all the words. */
  named: (query: string) => Entry[];
  /** The address of an operation on the pages of the reference. */
  hrefOf: (method: string, path: string) => string | undefined;
};

const MAX_QUERY_LENGTH = 200;
const MAX_WORDS = 10;
const MAX_FIELDS = 5;
const MAX_NAMED = 4;
const WORD_PART = /\w/;

let made: { from: Document; reference: Reference } | undefined;

/** The reference of the API that runs, which is made once. */
export function currentReference(): Reference {
  const document = servedDocument();
  if (made?.from !== document) made = { from: document, reference: referenceOf(document) };
  return made.reference;
}

export function referenceOf(document: Document): Reference {
  const sections = sectionsOf(document);
  const operations = sections.flatMap((section) => section.operations);
  const hrefs = new Map(operations.map((each) => [`${each.method} ${each.path}`, each.href]));
  const index = sections.flatMap(({ title, operations: all, events }) => [
    ...all.map((each) => indexOf(each, title)),
    ...events.map((each) => indexOfEvent(each, title)),
  ]);
  return {
    server: document.servers?.[0]?.url ?? '',
    sections,
    search: (query) => searchIndex(index, query),
    named: (query) => namedIn(index, query),
    hrefOf: (method, path) => hrefs.get(`${method} ${path}`),
  };
}

type Indexed = {
  entry: Entry;
  /** Method, path and summary. */
  own: string;
  section: string;
  fields: string[];
  text: string;
};

function indexOf(operation: Operation, section: string): Indexed {
  const { description, parameters, body, answers, errors } = operation;
  const fields = [...parameters, ...(body?.fields ?? []), ...answers.flatMap((answer) => answer.fields)];
  return indexed(operation, section, fields, [description, ...errors.flatMap((error) => error.codes)]);
}

function indexOfEvent(event: DescribedEvent, section: string): Indexed {
  return indexed(event, section, event.fields, []);
}

function indexed(entry: Entry, section: string, fields: readonly Field[], texts: string[]): Indexed {
  const own = `${entry.method} ${entry.path} ${entry.summary}`.toLowerCase();
  const all = withInner(fields);
  const words = all.flatMap(({ name, description: about, values }) => [name, about, ...values]);
  const text = [own, section, ...texts, ...new Set(words)].join(' ').toLowerCase();
  return { entry, own, section: section.toLowerCase(), fields: [...new Set(all.map(({ name }) => name))], text };
}

function withInner(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => [field, ...withInner(field.fields)]);
}

function searchIndex(index: readonly Indexed[], query: string): Found[] {
  const asked = wordsOf(query);
  if (asked.length === 0) return [];
  const found = index.filter(({ text }) => asked.every((word) => text.includes(word)));
  return ranked(found, asked).map(({ entry, own, section, fields }) => {
    const hidden = asked.filter((word) => !own.includes(word) && !section.includes(word));
    const named = fields.filter((field) => hidden.some((word) => field.toLowerCase().includes(word)));
    return { entry, fields: named.slice(0, MAX_FIELDS) };
  });
}

/** Puts those first whose method, path and summary have the words, whole words before parts, then those of its section. */
function ranked(found: readonly Indexed[], asked: readonly string[]): Indexed[] {
  const rankOf = ({ own, section, text }: Indexed) =>
    asked.reduce((rank, word) => {
      if (own.includes(word)) return rank + (hasWhole(own, word) ? 4 : 3);
      return rank + (section.includes(word) ? 2 : Number(hasWhole(text, word)));
    }, 0);
  const ranks = new Map(found.map((each) => [each, rankOf(each)]));
  return found.toSorted((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0));
}

function hasWhole(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + word.length]];
    if (!WORD_PART.test(before) && !WORD_PART.test(after)) return true;
  }
  return false;
}

function namedIn(index: readonly Indexed[], query: string): Entry[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = index.filter(({ own, section }) => words.every((word) => own.includes(word) || section.includes(word)));
  return ranked(found, words)
    .slice(0, MAX_NAMED)
    .map(({ entry }) => entry);
}

function wordsOf(query: string): string[] {
  const words = query.slice(0, MAX_QUERY_LENGTH).toLowerCase().split(/\s+/);
  return [...new Set(words)].filter(Boolean).slice(0, MAX_WORDS);
}
