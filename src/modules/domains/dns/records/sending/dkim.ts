import { lookalike } from '../lookalike';
import { type DomainFacts, type ExpectedRecord, mismatch, multiple, ok, tagsOf, type Verdict } from '../record';

type DkimKey = DomainFacts['dkimKeys'][number];
type Published = { algorithm: string; key: string };

const FIX = 'Replace the record’s value.';

/** DKIM: the published key is the one that signs. A retired key needs no record, and may still have one. */
export function dkimRecords({ name, dkimKeys }: DomainFacts): ExpectedRecord[] {
  return dkimKeys.map((key) => {
    const { selector, status, value } = key;
    const isActive = status === 'active';
    return {
      purpose: 'dkim',
      type: 'TXT',
      name: `${selector}._domainkey.${name}`,
      expected: status === 'retired' ? null : value,
      required: isActive,
      missing:
        status === 'retired'
          ? null
          : {
              severity: isActive ? 'error' : 'warning',
              message: isActive
                ? 'The key that signs your mail isn’t published, so receiving servers can’t verify the signatures.'
                : 'The pending key isn’t published yet. Publish it before you activate it.',
            },
      judge: (values) => (status === 'retired' ? judgeRetired(values) : judgeInUse(values, key)),
    };
  });
}

function judgeRetired(values: string[]): Verdict {
  const isRevoked = values.every((value) => parse(value)?.key === '');
  const message = isRevoked
    ? 'The retired key is revoked.'
    : 'The retired key is still published. Remove the record once mail that it signed has been delivered.';
  return { ...ok(message), severity: 'info' };
}

function judgeInUse(values: string[], { value, status }: DkimKey): Verdict {
  if (values.length > 1) return multiple(values.length, 'DKIM');
  const what = status === 'active' ? 'the one that signs' : 'the pending one';
  const [published, wanted] = [parse(values[0] ?? ''), parse(value)];
  if (published === null) {
    return lookalike(values[0] ?? '', 'DKIM1', 'error') ?? mismatch('error', 'The DKIM record has no valid key.', FIX);
  }
  if (published.key === '') return mismatch('error', 'The DKIM record says that the key is revoked.', FIX);
  if (published.algorithm !== wanted?.algorithm) {
    const message = `The DKIM record has a key of type ${published.algorithm}, not ${wanted?.algorithm}.`;
    return mismatch('error', message, FIX);
  }
  if (published.key !== wanted.key) return mismatch('error', `The published key is not ${what}.`, FIX);
  return ok(`The published key is ${what}.`);
}

/** An empty key is a revoked one. Spaces in a key don't matter (RFC 6376, 3.6.1). */
function parse(text: string): Published | null {
  const tags = tagsOf(text);
  const key = tags?.get('p');
  if (!tags || (tags.get('v') ?? 'DKIM1') !== 'DKIM1' || key === undefined) return null;
  return { algorithm: (tags.get('k') ?? 'rsa').toLowerCase(), key: key.replace(/\s/g, '') };
}
