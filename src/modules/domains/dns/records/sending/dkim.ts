import { lookalike } from '../lookalike';
import {
  type DomainFacts,
  type ExpectedRecord,
  mismatch,
  multiple,
  ok,
  tagProblem,
  tagsOf,
  type Verdict,
} from '../record';

type DkimKey = Omit<DomainFacts['dkimKeys'][number], 'status'> & {
  /** `activating` for one that may be signing soon, pending or retired. */
  status: DomainFacts['dkimKeys'][number]['status'] | 'activating';
};
type Published = { algorithm: string; key: string };

const FIX = 'Replace the record’s value.';

const MISSING: Record<DkimKey['status'], ExpectedRecord['missing']> = {
  active: {
    severity: 'error',
    message: 'The key that signs your mail isn’t published, so receiving servers can’t verify the signatures.',
  },
  pending: { severity: 'warning', message: 'The pending key isn’t published yet. Publish it before you activate it.' },
  activating: {
    severity: 'error',
    message: 'The key isn’t published, so receiving servers couldn’t verify signatures made with it.',
  },
  retired: null,
};

const NAMES: Record<Exclude<DkimKey['status'], 'retired'>, string> = {
  active: 'the one that signs',
  pending: 'the pending one',
  activating: 'this one',
};

/** DKIM: the published key is the one that signs. A retired key needs no record, and may still have one. */
export function dkimRecords({ name, dkimKeys }: DomainFacts): ExpectedRecord[] {
  return dkimKeys.map((key) => dkimRecord(name, key));
}

export function dkimRecord(domain: string, { selector, status, value }: DkimKey): ExpectedRecord {
  return {
    purpose: 'dkim',
    type: 'TXT',
    name: `${selector}._domainkey.${domain}`,
    expected: status === 'retired' ? null : value,
    required: status === 'active',
    missing: MISSING[status],
    judge: (values) => (status === 'retired' ? judgeRetired(values) : judgeInUse(values, value, NAMES[status])),
  };
}

function judgeRetired(values: string[]): Verdict {
  const isRevoked = values.every((value) => parse(value)?.key === '');
  const message = isRevoked
    ? 'The retired key is revoked.'
    : 'The retired key is still published. Remove the record once mail that it signed has been delivered.';
  return { ...ok(message), severity: 'info' };
}

/** @param what what the messages call the key */
function judgeInUse(values: string[], value: string, what: string): Verdict {
  if (values.length > 1) return multiple(values.length, 'DKIM');
  const [record = ''] = values;
  const [published, wanted] = [parse(record), parse(value)];
  if (published === null) {
    const problem = tagProblem(record);
    const message = problem ? `The DKIM record is invalid: ${problem}.` : 'The DKIM record has no valid key.';
    return lookalike(record, 'DKIM1', 'error') ?? mismatch('error', message, FIX);
  }
  if (published.key === '') return mismatch('error', 'The DKIM record says that the key is revoked.', FIX);
  if (published.algorithm !== wanted?.algorithm) {
    const message = `The DKIM record has a key of type ${published.algorithm}, not ${wanted?.algorithm}.`;
    return mismatch('error', message, FIX);
  }
  if (withoutExtras(published.key) === wanted.key && published.key !== wanted.key) {
    return mismatch('error', 'The DKIM record’s p has quotes or lines of a file around the key.', FIX);
  }
  if (published.key !== wanted.key) return mismatch('error', `The published DKIM key is not ${what}.`, FIX);
  return limitation(record) ?? ok(`The published DKIM key is ${what}.`);
}

function withoutExtras(key: string): string {
  return key.replace(/-----[A-Z]+-----|\\0(?:10|13)|["'\\]/g, '');
}

/** Finds the tag that keeps the right key from counting for mail (RFC 6376, 3.6.1). */
function limitation(record: string): Verdict | null {
  const tags = tagsOf(record);
  const listOf = (tag: string) =>
    tags
      ?.get(tag)
      ?.toLowerCase()
      .split(':')
      .map((each) => each.trim());
  if (listOf('h')?.includes('sha256') === false) {
    return mismatch('error', 'The DKIM record’s h doesn’t allow sha256, which the signatures use.', 'Remove h.');
  }
  if (listOf('s')?.every((service) => service !== '*' && service !== 'email')) {
    return mismatch('error', 'The DKIM record’s s doesn’t allow the key for mail.', 'Remove s.');
  }
  if (!listOf('t')?.includes('y')) return null;
  const message = 'The DKIM record says that the key is only tested (t=y), so some servers treat mail as unsigned.';
  return mismatch('warning', message, 'Remove t=y.');
}

/** An empty key is a revoked one. Spaces in a key don't matter (RFC 6376, 3.6.1). */
function parse(text: string): Published | null {
  const tags = tagsOf(text);
  const key = tags?.get('p');
  if (!tags || (tags.get('v') ?? 'DKIM1') !== 'DKIM1' || key === undefined) return null;
  return { algorithm: (tags.get('k') ?? 'rsa').toLowerCase(), key: key.replace(/\s/g, '') };
}
