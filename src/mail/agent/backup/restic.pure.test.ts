import { describe, expect, it } from 'vitest';
import { failureOf } from './restic';

const LOCATION = 's3:https://s3.example.com/letters/mail';
/** Returns the failure for the lines that restic prints if it can't read the first file of a repository. */
const opening = (cause: string) =>
  failureOf(LOCATION, [
    `Fatal: unable to open config file: ${cause}`,
    'Is there a repository at the following location?',
    LOCATION,
  ]);

describe('a repository that restic can’t open', () => {
  it.each([
    'Stat: The specified key does not exist.',
    'Stat: NoSuchKey',
    'stat /mnt/backups/mail/config: no such file or directory',
  ])('is missing only if the storage says so (%s)', (cause) => {
    expect(opening(cause)).toMatchObject({ kind: 'missing', message: `There is no repository in ${LOCATION}.` });
  });

  it.each([
    ['Stat: Access Denied.', 'refuses access'],
    ['Stat: AccessDenied', 'refuses access'],
    ['Stat: The Access Key Id you provided does not exist in our records.', 'doesn’t know the access key'],
    ['Stat: InvalidAccessKeyId', 'doesn’t know the access key'],
    ['Stat: The request signature we calculated does not match the signature you provided.', 'AWS_SECRET_ACCESS_KEY'],
    ['Stat: SignatureDoesNotMatch', 'AWS_SECRET_ACCESS_KEY'],
    ['Stat: 503 Service Unavailable', 'restic failed: unable to open config file: Stat: 503 Service Unavailable'],
    ['open /mnt/backups/mail/config: input/output error', 'input/output error'],
  ])('is not called missing for another reason (%s)', (cause, sentence) => {
    expect(opening(cause)).toMatchObject({ kind: 'other', message: expect.stringContaining(sentence) });
  });
});
