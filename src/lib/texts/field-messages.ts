import type { z } from 'zod';
import { formatCount } from '../format';

export const REQUIRED = 'This field is required.';

const EXPECTED: Record<string, string> = {
  string: 'Enter text.',
  number: 'Enter a number.',
  int: 'Enter a whole number.',
  boolean: 'Enter true or false.',
  array: 'Enter a list.',
  object: 'Enter an object.',
  record: 'Enter an object.',
};
const UNITS: Record<string, string> = { string: 'characters', array: 'items', set: 'items' };

/** The message for an issue whose schema has none of its own, in the browser and on the server alike. Replaces Zod's. */
export function fieldMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return REQUIRED;
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === null ? 'This field can’t be null.' : (EXPECTED[issue.expected] ?? INVALID);
    case 'invalid_value':
      return `Enter ${issue.values.length > 1 ? 'one of: ' : ''}${issue.values.join(', ')}.`;
    case 'too_small':
      return isBlank(issue.input) ? REQUIRED : limitMessage('least', issue.minimum, issue.origin);
    case 'too_big':
      return limitMessage('most', issue.maximum, issue.origin);
    case 'unrecognized_keys':
      return 'Unknown field.';
    default:
      return INVALID;
  }
}

/** The message for a value of another type than its schema's, such as text in place of an object. Others are those of fieldMessage. */
export function ifOtherType(message: string) {
  return ({ code, input }: z.core.$ZodRawIssue) =>
    code === 'invalid_type' && input !== undefined && input !== null ? message : undefined;
}

/** Absent, null or empty: a required field without a value (docs/api-contract.md, Errors). */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

const INVALID = 'Enter a valid value.';

function limitMessage(bound: 'least' | 'most', limit: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  return `Enter ${unit ? '' : 'a number of '}at ${bound} ${formatCount(Number(limit))}${unit ? ` ${unit}` : ''}.`;
}
