import type { Problem, ProblemCode, ProblemField } from '../api/problem';

export type FieldError = ProblemField;

type Matched = { matched: Record<string, string>; unmatched: FieldError[] };

/** The input fields that an error without field errors is about; the first one that was sent. */
const FIELDS_OF_CODE: Partial<Record<ProblemCode, string[]>> = {
  DOMAIN_INACTIVE: ['domain_id', 'mailbox_id'],
  DOMAIN_NOT_FOUND: ['domain_id', 'mailbox_id'],
  INVALID_CREDENTIALS: ['current_password'],
};

/**
 * The first error of each field of the form. An error inside a list or record belongs to the whole field, and one in a record
 * whose keys are the fields to its field.
 */
export function matchFields(fields: FieldError[], values: object, messageOf: (error: FieldError) => string): Matched {
  const matched: Record<string, string> = {};
  const unmatched: FieldError[] = [];
  for (const field of fields) {
    const name = field.path.split('.').find((part) => Object.hasOwn(values, part));
    if (name !== undefined) matched[name] ??= messageOf(field);
    else unmatched.push(field);
  }
  return { matched, unmatched };
}

type Form = { values: object; input: object; messageOf: (error: FieldError) => string };

/** Divides a problem into the errors of fields and the rest, which is null if nothing is left to show. */
export function matchProblem(problem: Problem, { values, input, messageOf }: Form) {
  const { matched, unmatched } = matchFields(fieldsOf(problem, input), values, messageOf);
  const isComplete = Object.keys(matched).length > 0 && unmatched.length === 0;
  return { matched, unmatched: isComplete ? null : { ...problem, fields: unmatched } };
}

function fieldsOf({ code, fields, message }: Problem, input: object): FieldError[] {
  if (fields.length > 0) return fields;
  const path = FIELDS_OF_CODE[code]?.find((name) => (input as Record<string, unknown>)[name]);
  return path ? [{ path, message }] : [];
}
