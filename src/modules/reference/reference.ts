import { type Document, servedDocument } from '@/server/rest/served-document';
import { type Operation, type Section, sectionsOf } from './operations';
import type { Field } from './schemas';

type Found = { operation: Operation; fields: string[] };

export type Reference = {
  sections: Section[];
  /** Operations whose method, path, summary, description or fields have all the words, and the fields that have one. */
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
    sections,
    search: (query) => searchIndex(indexed, query),
    named: (query) => namedIn(indexed, query),
    hrefOf: (method, path) => hrefs.get(`${method} ${path}`),
  };
}

type Indexed = { operation: Operation; name: string; fields: string[]; text: string };

function indexOf(operation: Operation, section: string): Indexed {
  const { method, path, summary, description, parameters, body, answers } = operation;
  const fields = [...parameters, ...(body?.fields ?? []), ...answers.flatMap((answer) => answer.fields)];
  const name = `${method} ${path} ${summary} ${section}`.toLowerCase();
  const names = [...new Set(namesOf(fields))];
  return { operation, name, fields: names, text: `${name} ${description} ${names.join(' ')}`.toLowerCase() };
}

function namesOf(fields: readonly Field[]): string[] {
  return fields.flatMap((field) => [field.name, ...namesOf(field.fields)]);
}

function searchIndex(indexed: readonly Indexed[], query: string): Found[] {
  const asked = wordsOf(query);
  if (asked.length === 0) return [];
  const found = indexed.filter(({ text }) => asked.every((word) => text.includes(word)));
  const rankOf = ({ name }: Indexed) => asked.filter((word) => name.includes(word)).length;
  return found
    .toSorted((one, other) => rankOf(other) - rankOf(one))
    .map(({ operation, name, fields }) => {
      const hidden = asked.filter((word) => !name.includes(word));
      return {
        operation,
        fields: fields.filter((field) => hidden.some((word) => field.includes(word))).slice(0, MAX_FIELDS),
      };
    });
}

function namedIn(indexed: readonly Indexed[], query: string): Operation[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = indexed.filter(({ name }) => words.every((word) => name.includes(word)));
  return found.slice(0, MAX_NAMED).map(({ operation }) => operation);
}

function wordsOf(query: string): string[] {
  const words = query.slice(0, MAX_QUERY_LENGTH).toLowerCase().split(/\s+/);
  return [...new Set(words)].filter(Boolean).slice(0, MAX_WORDS);
}
