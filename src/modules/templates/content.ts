import { createHash } from 'node:crypto';
import { isObject } from '@/lib/json-values';
import { AppError, type FieldError } from '@/server/errors';
import type { Prisma } from '@/server/prisma/client';
import type { TemplateIssue } from './rendering/liquid';
import { Exhausted, runTemplateJobAside } from './rendering/pool';
import {
  type TemplateParts,
  type TemplatePreview,
  type TemplateValues,
  type TemplateVariable,
  valueProblem,
} from './schema';

/** The part of a draft that a version keeps. */
export type Content = TemplateParts & { variables: TemplateVariable[] };

type Row = { subject: string; htmlBody: string | null; textBody: string | null; variables: Prisma.JsonValue };

export function contentOf({ subject, htmlBody, textBody, variables }: Row): Content {
  const declared = (variables as TemplateVariable[]).map(inOrder);
  return { subject, html_body: htmlBody, text_body: textBody, variables: declared };
}

/** The fields in the order of the schema, which the database doesn't keep, so that each version of a record has one text. */
function inOrder({ name, type, required, default: value, description }: TemplateVariable): TemplateVariable {
  return {
    name,
    type,
    required,
    ...(value !== undefined && { default: value }),
    ...(description !== undefined && { description }),
  };
}

export function columnsOf(content: Content) {
  const { subject, html_body: htmlBody, text_body: textBody, variables } = content;
  return { subject, htmlBody, textBody, variables: variables as Prisma.InputJsonValue, digest: digestOf(content) };
}

/** The same for the same content, however its fields are ordered. */
function digestOf({ subject, html_body, text_body, variables }: Content): string {
  const text = JSON.stringify([subject, html_body, text_body, variables], (_, value) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(text).digest('base64');
}

/** @throws VALIDATION_ERROR, with line and column, if a part is no Liquid or uses a variable that isn't declared */
export async function requireValid(domainId: string, { variables, ...parts }: Content): Promise<void> {
  const { subject, html_body, text_body } = parts;
  const declared = variables.map(({ name }) => name);
  const job = { kind: 'check', domainId, parts: { subject, html_body, text_body }, declared } as const;
  const result = await runTemplateJobAside(job);
  if (result.kind === 'checked' && result.issues.length > 0) throw invalidFields(result.issues.map(fieldOf));
}

type RenderInput = {
  domainId: string;
  content: Content;
  /** A key that identifies the content, if the content never changes. */
  key: string | null;
  values: TemplateValues;
  /** The path of the values in the request, for errors. */
  path: string;
  /** The parts of a request to send beside the template. A subject replaces the template’s, which isn’t rendered and so can’t fail. */
  send?: { hasSubject: boolean; hasAttachments: boolean };
};

/**
 * Renders a template in another process. @throws VALIDATION_ERROR by field if a value is missing or has another type, or the template can't be
 * rendered with the values; MESSAGE_TOO_LARGE
 */
export async function render(input: RenderInput): Promise<TemplatePreview> {
  const { domainId, content, key, values: given, path, send } = input;
  const values = valuesFor(content.variables, given, path);
  const { html_body, text_body } = content;
  const job = send?.hasSubject
    ? { key: key && `${key} without subject`, parts: { subject: '', html_body, text_body } }
    : { key, parts: { subject: content.subject, html_body, text_body } };
  const result = await runTemplateJobAside({ kind: 'render', domainId, ...job, values });
  const at = (part: string) => (send ? `template.${part}` : part);
  const inRequest = ({ path: part, message }: FieldError) => ({ path: at(part), message });
  if (result.kind === 'checked') {
    const isExhausted = result.issues.some((issue) => issue.isExhausted);
    throw invalidFields(result.issues.map(fieldOf).map(inRequest), isExhausted ? Exhausted : AppError);
  }
  if (result.kind === 'oversize') {
    const { part, characters, limit } = result.oversize;
    const message = `The rendered ${part} has ${characters} characters; the limit is ${limit}.`;
    throw new AppError('MESSAGE_TOO_LARGE', message, { details: { fields: [{ path: at(part), message }] } });
  }
  const problem = problemOf(result.rendered, input);
  if (problem) throw invalidFields([inRequest(problem)]);
  return result.rendered;
}

const MAX_SUBJECT = 998;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns the problem with the text of a message, or null. */
function problemOf(rendered: TemplatePreview, { content, send }: RenderInput): FieldError | null {
  const ofSubject = send?.hasSubject ? null : subjectProblem(rendered.subject);
  if (ofSubject) return { path: 'subject', message: ofSubject };
  const { html_body: html, text_body: text } = rendered;
  for (const [part, value] of Object.entries({ html_body: html ?? '', text_body: text })) {
    if (value.includes('\0')) return { path: part, message: 'The text has a NUL character with these values.' };
  }
  if (!send || send.hasAttachments || `${html ?? ''}${text}`.trim() !== '') return null;
  const part = content.html_body === null ? 'text_body' : 'html_body';
  return { path: part, message: 'The message is empty with these values.' };
}

function subjectProblem(subject: string): string | null {
  if (subject.trim() === '') return 'The subject is empty with these values.';
  if (subject.length > MAX_SUBJECT)
    return `The subject has ${subject.length} characters with these values. The limit is ${MAX_SUBJECT}.`;
  return CONTROL.test(subject) ? 'The subject has a line break or another control character with these values.' : null;
}

/** Every declared variable with its value, its default or null. */
function valuesFor(declared: TemplateVariable[], given: TemplateValues, path: string): Record<string, unknown> {
  const errors: FieldError[] = [];
  const values = declared.map((variable): [string, unknown] => {
    const { name, required } = variable;
    const value = (Object.hasOwn(given, name) ? given[name] : null) ?? null;
    if (value === null && !required) return [name, variable.default ?? null];
    const problem = value === null ? 'This variable is required.' : valueProblem(variable, value);
    if (problem) errors.push({ path: `${path}.${name}`, message: problem });
    return [name, value];
  });
  if (errors.length > 0) throw invalidFields(errors);
  return Object.fromEntries(values);
}

function fieldOf({ part, line, column, message }: TemplateIssue): FieldError {
  return { path: part, message: part === 'subject' ? message : `Line ${line}, column ${column}: ${message}` };
}

function invalidFields(fields: FieldError[], Kind = AppError): AppError {
  const names = [...new Set(fields.map(({ path }) => path))].join(', ');
  return new Kind('VALIDATION_ERROR', `Some fields are invalid: ${names}.`, { details: { fields } });
}
