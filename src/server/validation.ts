import { z } from 'zod';
import type { ErrorCode } from '@/lib/error-codes';
import { isBlank } from '@/lib/texts/field-messages';
import { AppError, type FieldError } from './errors';

const MAX_FIELDS_TOLD = 50;
const MAX_PATH_LENGTH = 200;

/** If several codes apply, the first of these wins (docs/api-contract.md, Errors). */
const PRECEDENCE: ErrorCode[] = [
  'MISSING_FIELDS',
  'INVALID_SENDER',
  'INVALID_HEADER',
  'INVALID_PAGINATION',
  'TOO_MANY_DESTINATIONS',
  'VALIDATION_ERROR',
];

const SUMMARY: Partial<Record<ErrorCode, string>> = {
  MISSING_FIELDS: 'Required fields are missing',
  INVALID_SENDER: 'The sender address is invalid',
  INVALID_HEADER: 'A custom header is invalid',
  INVALID_PAGINATION: 'The cursor or limit is invalid',
  TOO_MANY_DESTINATIONS: 'Too many destinations',
  VALIDATION_ERROR: 'Some fields are invalid',
};

/** The 400 for input that `schema` rejected, with each invalid field. */
export function invalidInput(error: z.ZodError, input: unknown, schema: z.ZodType): AppError {
  const found = error.issues.flatMap((issue) => fieldErrors(issue, input, schema));
  const code = PRECEDENCE.find((candidate) => found.some((field) => field.code === candidate)) ?? 'VALIDATION_ERROR';
  const fields = distinct(found.filter((field) => field.code === code)).slice(0, MAX_FIELDS_TOLD);
  const names = fields.map((field) => field.path || 'body').join(', ');
  return new AppError(code, `${SUMMARY[code]}: ${names}.`, { details: { fields } });
}

/**
 * Returns the input without the nulls of optional fields, which many clients send for a value that they don't have. A null stays
 * where the schema gives it a meaning, such as no limit. An empty list becomes an object where only that is accepted, because PHP
 * writes an empty object so.
 */
export function normalized(input: unknown, schema: z.ZodType | undefined): unknown {
  const inner = optionFor(schema, input);
  if (Array.isArray(input)) {
    if (inner instanceof z.ZodArray) return input.map((each) => normalized(each, inner.element as z.ZodType));
    const isMap = inner instanceof z.ZodRecord || inner instanceof z.ZodObject;
    return isMap && input.length === 0 ? {} : input;
  }
  if (!(inner instanceof z.ZodObject) || !isPlain(input)) return input;
  const fields = Object.entries(input).flatMap(([key, value]): [string, unknown][] => {
    const field = Object.hasOwn(inner.shape, key) ? (inner.shape[key] as z.ZodType) : undefined;
    if (value === null && field && hasNoNull(field)) return [];
    return [[key, field ? normalized(value, field) : value]];
  });
  return Object.fromEntries(fields);
}

/** Remembers for each optional field whether null means nothing to it. A body has up to 200,000 values. */
const withoutMeaning = new WeakMap<z.ZodType, boolean>();

function hasNoNull(field: z.ZodType): boolean {
  const known = withoutMeaning.get(field);
  if (known !== undefined) return known;
  const found = accepts(field, undefined) && !accepts(field, null);
  withoutMeaning.set(field, found);
  return found;
}

function accepts(field: z.ZodType, value: null | undefined): boolean {
  return field.safeParse(value).success;
}

/**
 * Rejects text that the database can't store, in every field of every endpoint: NUL characters and lone surrogates.
 * @throws VALIDATION_ERROR
 */
export function requireStorableText(input: unknown): void {
  const paths = unstorablePaths(input, []).slice(0, MAX_FIELDS_TOLD);
  if (paths.length === 0) return;
  const fields = paths.map((path) => ({ path: printable(path), message: UNSTORABLE }));
  const names = fields.map(({ path }) => path).join(', ');
  throw new AppError('VALIDATION_ERROR', `${SUMMARY.VALIDATION_ERROR}: ${names}.`, { details: { fields } });
}

const UNSTORABLE = 'NUL characters and lone surrogates aren’t allowed.';

function unstorablePaths(value: unknown, path: string[]): string[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [path.join('.')];
  if (Array.isArray(value)) return value.flatMap((each, index) => unstorablePaths(each, [...path, String(index)]));
  if (!isPlain(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    isStorable(key) ? unstorablePaths(each, [...path, key]) : [[...path, key].join('.')],
  );
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The first error of each field. */
function distinct(found: FieldError[]): FieldError[] {
  const byPath = new Map(found.toReversed().map(({ path, message }) => [path, { path: printable(path), message }]));
  return [...byPath.values()].toReversed();
}

/** Bounds a path, because it contains the client's own field names and goes into responses, audit log and headers. */
function printable(path: string): string {
  return path.slice(0, MAX_PATH_LENGTH).toWellFormed().replace(/\p{C}/gu, '\ufffd');
}

function fieldErrors(issue: z.core.$ZodIssue, input: unknown, schema: z.ZodType): (FieldError & { code: ErrorCode })[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_FIELDS_TOLD).map((key) => ({
      code: 'VALIDATION_ERROR',
      path: [...issue.path, key].join('.'),
      message: 'Unknown field.',
    }));
  }
  const code = codeOf(issue, input, schema);
  return [{ code, path: issue.path.join('.'), message: issue.message }];
}

function codeOf(issue: z.core.$ZodIssue, input: unknown, schema: z.ZodType): ErrorCode {
  if (issue.code === 'custom' && issue.params?.apiCode) return issue.params.apiCode as ErrorCode;
  if (issue.path.length === 1 && (issue.path[0] === 'cursor' || issue.path[0] === 'limit')) return 'INVALID_PAGINATION';
  const value = valueAt(input, issue.path);
  const isMissing = issue.path.length === 0 ? value == null : isBlank(value) && isRequired(schema, issue.path);
  return isMissing ? 'MISSING_FIELDS' : 'VALIDATION_ERROR';
}

// Zod strips `issue.input`, so walk the raw input at the issue's path to tell whether a value is missing.
function valueAt(input: unknown, path: PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function isRequired(schema: z.ZodType, path: PropertyKey[]): boolean {
  let field: z.ZodType | undefined = schema;
  for (const key of path) {
    const container = optionFor(field, typeof key === 'number' ? [] : {});
    if (container instanceof z.ZodObject) field = container.shape[key as string] as z.ZodType | undefined;
    else if (container instanceof z.ZodArray) field = container.element as z.ZodType;
    else return true;
  }
  return field !== undefined && !accepts(field, undefined);
}

/** The schema without what wraps it; of a union, the one option for lists or for objects if the value is one. */
function optionFor(schema: z.ZodType | undefined, value: unknown): z.ZodType | undefined {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodUnion)) return inner;
  const kind = Array.isArray(value) ? z.ZodArray : z.ZodObject;
  const [option, ...others] = inner.options
    .map((each) => unwrap(each as z.ZodType))
    .filter((each) => each instanceof kind);
  return option && others.length === 0 ? option : inner;
}

/** Unwraps optional, nullable, default and preprocess. */
export function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault) {
      inner = inner.unwrap() as z.ZodType;
    } else if (inner instanceof z.ZodPipe) inner = inner.out as z.ZodType;
    else return inner;
  }
}
