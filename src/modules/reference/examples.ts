import { type Schema, type Schemas, variantsOf } from './schemas';

/** A prefilled request has required fields only. */
type Side = 'request' | 'prefilled' | 'response';

const MAX_DEPTH = 5;
/** The fields that a request without required ones sets. */
const MAX_OPTIONAL = 3;

/** Too short for a new password, so that the API rejects it until it is replaced. */
export const PASSWORD_PLACEHOLDER = 'replace me';

const BY_FORMAT: Record<string, string> = {
  uuid: '019ac000-0000-7000-8000-000000000000',
  'date-time': '2026-01-31T09:30:00.000Z',
  date: '2026-01-31',
  email: 'ann@example.com',
  uri: 'https://example.com/hook',
  ipv4: '192.0.2.1',
};
const BY_NAME: [RegExp, string][] = [
  [/email|address|destination|sender|recipient|^from$|^to$/, 'ann@example.com'],
  [/domain|host/, 'example.com'],
  [/local_part/, 'ann'],
  [/message_id/, '<019ac000@example.com>'],
  [/subject/, 'Welcome'],
  [/name|label/, 'Example'],
  [/url/, 'https://example.com/hook'],
  [/(^|_)ip/, '192.0.2.1'],
];
const PASSWORD = /password/;
/** Values that the patterns of the API accept. */
const BY_PATTERN = [
  'example',
  'example.com',
  'ann@example.com',
  'X-Example',
  '2026-01-31',
  '10:30',
  '123456',
  'ABC-1',
  'ab'.repeat(32),
];

/** Returns a value that the schema accepts, with the fields that it requires. If it requires none, a request has some and a response all. */
export function exampleOf(schema: Schema, schemas: Schemas, side: Side, name = '', depth = 0): unknown {
  const { variants, isNullable } = variantsOf(schema, schemas);
  const first = { ...variants[0], ...(schema.examples && { examples: schema.examples }) };
  const [given = schema.default ?? first.default] = first.examples ?? [];
  if (given !== undefined && given !== null) return given;
  if ('const' in first) return first.const;
  if (first.enum) return first.enum[0];
  if (isNullable && (depth >= MAX_DEPTH || variants.length === 0)) return null;
  switch (first.type) {
    case 'object':
      return objectOf(first, schemas, side, depth);
    case 'array': {
      if (!first.items || depth >= MAX_DEPTH) return [];
      return [exampleOf(first.items, schemas, side, name, depth + 1)];
    }
    case 'integer':
    case 'number':
      return numberOf(first);
    case 'boolean':
      return true;
    case 'string':
      return stringOf(first, name);
    default:
      return null;
  }
}

function objectOf(schema: Schema, schemas: Schemas, side: Side, depth: number): Record<string, unknown> {
  const all = Object.entries(propertiesOf(schema));
  const required = all.filter(([name]) => schema.required?.includes(name));
  const shown = required.length > 0 ? required : optionalOf(all, side);
  const isRehearsed = side !== 'response' && schema.properties?.dry_run;
  return {
    ...Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, schemas, side, name, depth + 1)])),
    ...(isRehearsed && { dry_run: true }),
  };
}

function optionalOf(all: [string, Schema][], side: Side): [string, Schema][] {
  if (side === 'response') return all;
  return side === 'prefilled' ? [] : all.filter(([name]) => !PASSWORD.test(name)).slice(0, MAX_OPTIONAL);
}

/** Also those of a map that must have certain names. */
function propertiesOf({ properties = {}, required = [], additionalProperties }: Schema): Record<string, Schema> {
  if (typeof additionalProperties !== 'object') return properties;
  return { ...Object.fromEntries(required.map((name) => [name, additionalProperties])), ...properties };
}

function numberOf({ minimum = 0, maximum = Number.POSITIVE_INFINITY }: Schema): number {
  return Math.min(Math.max(1, minimum), maximum);
}

function stringOf(schema: Schema, name: string): string {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const known = format && BY_FORMAT[format];
  if (known) return known;
  if (PASSWORD.test(name)) return PASSWORD_PLACEHOLDER;
  const expected = pattern ? new RegExp(pattern) : /^/;
  const named = BY_NAME.filter(([names]) => names.test(name)).map(([, value]) => value);
  const fits = (value: string) => value.length >= minLength && value.length <= maxLength && expected.test(value);
  return [...named, ...BY_PATTERN].find(fits) ?? 'x'.repeat(Math.max(1, minLength));
}
