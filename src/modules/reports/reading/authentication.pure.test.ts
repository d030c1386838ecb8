import { expect, it } from 'vitest';
import { senderOf } from './authentication';

const MAIL_HOST = 'mail.host.example';
const sender = (...results: string[]) =>
  senderOf(
    results.map((value) => ({ name: 'Authentication-Results', value })),
    'reports@big.example',
    MAIL_HOST,
  );

it.each([
  [`${MAIL_HOST}; dkim=none; dmarc=pass (policy=none) header.from=mail.far.example`, 'far.example'],
  [`MAIL.host.example 1;\n dkim=fail header.d=x.example; dkim=pass header.d=Far.example header.s=s1`, 'far.example'],
  [`${MAIL_HOST}; dkim=none; spf=pass (a; spf=pass) smtp.mailfrom=bounce@m.far.example`, 'far.example'],
  [`${MAIL_HOST}; spf=pass smtp.helo=mx.far.co.uk`, 'far.co.uk'],
])('a sender that passes by %s is known', (value, domain) => {
  expect(sender(value)).toEqual({ domain, isAuthenticated: true });
});

it.each([
  ['nothing', []],
  ['the results of another server', ['mx.far.example; dkim=pass header.d=big.example']],
  ['what fails', [`${MAIL_HOST}; dkim=fail header.d=big.example; spf=softfail smtp.mailfrom=a@big.example`]],
  ['what passes for no domain', [`${MAIL_HOST}; dkim=pass; spf=pass smtp.mailfrom=<>`]],
  ['a comment', [`${MAIL_HOST}; spf=none (x; dkim=pass header.d=big.example)`]],
  ['a header forged beside the real one', [`${MAIL_HOST}; dkim=none`, `${MAIL_HOST}; dkim=pass header.d=big.example`]],
])('a sender is not authenticated by %s', (_name, results) => {
  expect(sender(...results)).toEqual({ domain: 'big.example', isAuthenticated: false });
});
