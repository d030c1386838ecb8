import { type Document, type OperationAccess, requiredRole } from '@/server/rest/served-document';
import { exampleOf } from './examples';
import { type Field, fieldOf, fieldsOf, type Schema, type Schemas, variantsOf } from './schemas';

export type Parameter = Field & { in: 'path' | 'query' | 'header' };

export type Answer = {
  status: string;
  description: string;
  headers: string[];
  /** The content type, null without a body. */
  type: string | null;
  isList: boolean;
  /** The fields of `data`, or of its entries if it is a list. */
  fields: Field[];
  example: string | null;
};

/** An operation, or an event with `EVENT` for its method and its type for its path, as lists and searches have it. */
export type Entry = {
  /** Stays the same when words change, so links to it hold. */
  id: string;
  /** Its address on the pages of the reference. */
  href: string;
  method: string;
  path: string;
  summary: string;
};

export type Operation = Entry & {
  description: string;
  isChanging: boolean;
  /** The words to confirm before it is called, beyond its summary; null if it needs no confirmation. */
  confirmation: string | null;
  /** Null if anyone may call it. */
  access: OperationAccess | null;
  parameters: Parameter[];
  /** The body, with what a form to call the operation begins with. */
  body: { fields: Field[]; example: string; prefilled: string } | null;
  /** The path of a request with what it requires. */
  examplePath: string;
  answers: Answer[];
  /** The name under which code saves the file of the response. */
  file: string | null;
  isRedirect: boolean;
  errors: { status: string; codes: string[] }[];
};

/** A webhook event, with the fields of `data` and an example of the whole body. */
export type DescribedEvent = Entry & { fields: Field[]; example: string };

export type Section = { title: string; slug: string; operations: Operation[]; events: DescribedEvent[] };

type Described = {
  description: string;
  headers?: Record<string, { description?: string }>;
  content?: Record<string, { schema: Schema }>;
};

/** An operation of the document, as the generator writes it. */
type Source = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  'x-access'?: OperationAccess;
  'x-confirmation'?: string | null;
  parameters: { in: Parameter['in']; name: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Described>;
};

type EventSource = {
  summary: string;
  tags: string[];
  requestBody: { content: Record<string, { schema: Schema; example: object }> };
};

/** The sections that most readers need. The others follow by their titles. */
const FIRST_SECTIONS = ['sending', 'messages'];

/** Returns the operations and events of the document by their tags. */
export function sectionsOf(document: Document): Section[] {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const sections = new Map<string, Section>();
  const sectionOf = ([title = '']: string[]): Section => {
    const slug = slugOf(title);
    const section = sections.get(slug) ?? { title, slug, operations: [], events: [] };
    sections.set(slug, section);
    return section;
  };
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, source] of Object.entries(item as unknown as Record<string, Source>)) {
      const { slug, operations } = sectionOf(source.tags);
      operations.push(operationOf(source, { method, path, slug }, schemas));
    }
  }
  for (const [type, item] of Object.entries(document.webhooks ?? {})) {
    const { post } = item as unknown as { post: EventSource };
    const { slug, events } = sectionOf(post.tags);
    events.push(eventOf(post, { type, slug }, schemas));
  }
  for (const { operations } of sections.values()) operations.sort(byPath);
  const placeOf = ({ slug }: Section) =>
    FIRST_SECTIONS.includes(slug) ? FIRST_SECTIONS.indexOf(slug) : FIRST_SECTIONS.length;
  return [...sections.values()].toSorted(
    (one, other) => placeOf(one) - placeOf(other) || one.title.localeCompare(other.title),
  );
}

function slugOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

function eventOf(
  source: EventSource,
  { type, slug }: { type: string; slug: string },
  schemas: Schemas,
): DescribedEvent {
  const { schema, example } = source.requestBody.content['application/json'] ?? { schema: {}, example: {} };
  return {
    id: type,
    href: `/reference/${slug}#${type}`,
    method: 'EVENT',
    path: type,
    summary: source.summary,
    fields: fieldsOf(schema.properties?.data, schemas),
    example: JSON.stringify(example, null, 2),
  };
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

/** A collection comes before its records, whose brace is after all letters. */
function byPath(one: Operation, other: Operation): number {
  if (one.path === other.path) return METHODS.indexOf(one.method) - METHODS.indexOf(other.method);
  return one.path < other.path ? -1 : 1;
}

type Place = { method: string; path: string; slug: string };

function operationOf(source: Source, { method, path, slug }: Place, schemas: Schemas): Operation {
  const access = source['x-access'] ?? null;
  const confirmation = source['x-confirmation'];
  const body = Object.values(source.requestBody?.content ?? {})[0]?.schema;
  const answers = Object.entries(source.responses);
  return {
    id: source.operationId,
    href: `/reference/${slug}#${source.operationId}`,
    method: method.toUpperCase(),
    path,
    summary: source.summary,
    description: (source.description ?? '').replace(access ? requiredRole(access.role) : '', '').trim(),
    access,
    parameters: source.parameters.map(({ in: place, name, required, description, schema }) => ({
      ...fieldOf(name, { ...schema, description: description ?? schema.description }, required ?? false, schemas),
      in: place,
    })),
    body: body ? { fields: fieldsOf(body, schemas), ...examplesOf(body, method, schemas) } : null,
    examplePath: examplePathOf(path, source.parameters, schemas),
    answers: answers
      .filter(([status]) => status < '400')
      .map(([status, described]) => answerOf(status, described, schemas)),
    file: fileOf(source),
    isRedirect: '302' in source.responses,
    isChanging: confirmation !== undefined,
    confirmation: confirmation ?? null,
    errors: answers
      .filter(([status]) => status >= '400')
      .map(([status, { description }]) => ({ status, codes: description.split(', ') })),
  };
}

function examplesOf(body: Schema, method: string, schemas: Schemas): { example: string; prefilled: string } {
  const write = (value: unknown) => JSON.stringify(value, null, 2);
  return {
    example: write(exampleOf(body, schemas, 'request')),
    // The sender chooses what a change sets.
    prefilled: method === 'patch' ? '{}' : write(exampleOf(body, schemas, 'prefilled')),
  };
}

const EXTENSIONS: Record<string, string> = {
  'text/csv': 'csv',
  'text/dns': 'zone',
  'application/x-ndjson': 'ndjson',
  'message/rfc822': 'eml',
};

function fileOf({ operationId, responses }: Source): string | null {
  const [type] = Object.keys(responses['200']?.content ?? {});
  return type === undefined || type === 'application/json' ? null : `${operationId}.${EXTENSIONS[type] ?? 'bin'}`;
}

function examplePathOf(path: string, parameters: Source['parameters'], schemas: Schemas): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { in: place, name, required, schema } of parameters) {
    const value = String(exampleOf(schema, schemas, 'request', name));
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    if (place === 'query' && required) query.set(name, value);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

function answerOf(status: string, { description, headers, content }: Described, schemas: Schemas): Answer {
  const [[type = null, body] = []] = Object.entries(content ?? {});
  const data = body?.schema.properties?.data;
  return {
    status,
    description: data ? '' : description,
    headers: Object.entries(headers ?? {}).map(([name, header]) => `\`${name}\`: ${header.description ?? ''}`),
    type,
    isList: data ? variantsOf(data, schemas).variants[0]?.type === 'array' : false,
    fields: fieldsOf(data, schemas),
    example: data && body ? JSON.stringify(exampleOf(body.schema, schemas, 'response'), null, 2) : null,
  };
}
