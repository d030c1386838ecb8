import { lookalike } from '../lookalike';
import { type DomainFacts, type ExpectedRecord, mismatch, multiple, ok, tagsOf, type Verdict } from '../record';

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
  const [published, wanted] = [parse(values[0] ?? ''), parse(value)];
  if (published === null) {
    return lookalike(values[0] ?? '', 'DKIM1', 'error') ?? mismatch('error', 'The DKIM record has no valid key.', FIX);
  }
  if (published.key === '') return mismatch('error', 'The DKIM record says that the key is revoked.', FIX);
  if (published.algorithm !== wanted?.algorithm) {
    const message = `The DKIM record has a key of type ${published.algorithm}, not ${wanted?.algorithm}.`;
    return mismatch('error', message, FIX);
  }
  if (published.key !== wanted.key) return mismatch('error', `The published DKIM key is not ${what}.`, FIX);
  return ok(`The published DKIM key is ${what}.`);
}

/** An empty key is a revoked one. Spaces in a key don't matter (RFC 6376, 3.6.1). */
function parse(text: string): Published | null {
  const tags = tagsOf(text);
  const key = tags?.get('p');
  if (!tags || (tags.get('v') ?? 'DKIM1') !== 'DKIM1' || key === undefined) return null;
  return { algorithm: (tags.get('k') ?? 'rsa').toLowerCase(), key: key.replace(/\s/g, '') };
}
