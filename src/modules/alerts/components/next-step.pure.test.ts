import { expect, it } from 'vitest';
import { nextStep } from './next-step';

const DOMAIN = { subject: 'acme.example', domain_id: 'one' };

it('leads to the page of what the alert is about', () => {
  expect(nextStep({ ...DOMAIN, kind: 'dns_broken' }, '/domains/one')).toEqual({
    href: '/domains/one',
    label: 'Fix the records',
  });
  expect(nextStep({ ...DOMAIN, kind: 'mailbox_suspended' }, '/mailboxes/one')).toEqual({
    href: '/mailboxes/one/misuse',
    label: 'Check for misuse',
  });
  expect(nextStep({ kind: 'system_degraded', subject: 'Free disk space', domain_id: null }, '/system/health')).toEqual({
    href: '/system/health',
    label: 'Review health',
  });
});

it('leads to the messages of a domain, or of an address without a mailbox, that sent much', () => {
  expect(nextStep({ ...DOMAIN, kind: 'volume_spike' }, null)?.href).toBe('/messages?domain=one&direction=outbound');
  expect(nextStep({ ...DOMAIN, kind: 'rate_limited', subject: 'news@acme.example' }, null)).toEqual({
    href: '/messages?from=news%40acme.example&direction=outbound',
    label: 'Review messages',
  });
});

it('leads nowhere where the console has no page', () => {
  expect(nextStep({ ...DOMAIN, kind: 'wrong_passwords', subject: '192.0.2.1' }, null)).toBeNull();
});
