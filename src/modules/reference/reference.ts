import { type Document, servedDocument } from '@/server/rest/served-document';
import { type Operation, type Section, sectionsOf } from './operations';
import type { Field } from './schemas';

type Found = { operation: Operation; fields: string[] };

export type Reference = {
  /** The address of the API, as the settings have it. */
  server: string;
  sections: Section[];
  /** Operations that have all the words: in method, path, summary, description, fields, values or error codes. */
  search: (query: string) => Found[];
  /** The first operations whose method, path and summary have all the words. */
  named: (query: string) => Operation[];
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
  const indexed = sections.flatMap(({ title, operations: all }) => all.map((each) => indexOf(each, title)));
  return {
    server: document.servers?.[0]?.url ?? '',
    sections,
    search: (query) => searchIndex(indexed, query),
    named: (query) => namedIn(indexed, query),
    hrefOf: (method, path) => hrefs.get(`${method} ${path}`),
  };
}

type Indexed = {
  operation: Operation;
  /** Method, path and summary. */
  own: string;
  section: string;
  fields: string[];
  text: string;
};

function indexOf(operation: Operation, section: string): Indexed {
  const { method, path, summary, description, parameters, body, answers, errors } = operation;
  const fields = [...parameters, ...(body?.fields ?? []), ...answers.flatMap((answer) => answer.fields)];
  const own = `${method} ${path} ${summary}`.toLowerCase();
  const all = withInner(fields);
  const words = all.flatMap(({ name, description: about, values }) => [name, about, ...values]);
  const codes = errors.flatMap((error) => error.codes);
  const text = [own, section, description, ...new Set(words), ...codes].join(' ').toLowerCase();
  return { operation, own, section: section.toLowerCase(), fields: [...new Set(all.map(({ name }) => name))], text };
}

function withInner(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => [field, ...withInner(field.fields)]);
}

function searchIndex(indexed: readonly Indexed[], query: string): Found[] {
  const asked = wordsOf(query);
  if (asked.length === 0) return [];
  const found = indexed.filter(({ text }) => asked.every((word) => text.includes(word)));
  return ranked(found, asked).map(({ operation, own, section, fields }) => {
    const hidden = asked.filter((word) => !own.includes(word) && !section.includes(word));
    const named = fields.filter((field) => hidden.some((word) => field.toLowerCase().includes(word)));
    return { operation, fields: named.slice(0, MAX_FIELDS) };
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

function namedIn(indexed: readonly Indexed[], query: string): Operation[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = indexed.filter(({ own, section }) =>
    words.every((word) => own.includes(word) || section.includes(word)),
  );
  return ranked(found, words)
    .slice(0, MAX_NAMED)
    .map(({ operation }) => operation);
}

function wordsOf(query: string): string[] {
  const words = query.slice(0, MAX_QUERY_LENGTH).toLowerCase().split(/\s+/);
  return [...new Set(words)].filter(Boolean).slice(0, MAX_WORDS);
}
