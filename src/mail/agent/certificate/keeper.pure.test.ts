import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Installation } from '../installation';
import { nextAttemptAt } from './attempts';
import { parseCertificate } from './files';
import { createCertificateKeeper, isDue } from './keeper';

const HOST = 'mail.example.com';
const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'postroom-certificate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const keyFile = join(folder, 'key.pem');
execFileSync('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-out', keyFile]);
const selfSigned = join(folder, 'self-signed.pem');
execFileSync('openssl', ['req', '-x509', '-key', keyFile, '-subj', `/CN=${HOST}`, '-days', '90', '-out', selfSigned]);

const issued = { fingerprint: '', names: [HOST], isSelfSigned: false };
const now = new Date('2026-06-01T00:00:00Z');
const validFor = (days: number, leftDays: number) => ({
  ...issued,
  validFrom: new Date(now.getTime() - (days - leftDays) * DAY_MS),
  validTo: new Date(now.getTime() + leftDays * DAY_MS),
});

describe('a certificate', () => {
  it.each([
    [90, 31, false],
    [90, 30, true],
    [6, 3, false],
    [6, 2, true],
    [90, -1, true],
  ])('of %i days is renewed with a third of them left: %i', (days, left, expected) => {
    expect(isDue(validFor(days, left), [HOST], now)).toBe(expected);
  });

  it('is replaced if it is self-signed, lacks a name, or is missing', () => {
    const certificate = validFor(90, 89);
    expect(isDue(certificate, [HOST], now)).toBe(false);
    expect(isDue(certificate, [HOST, 'imap.example.com'], now)).toBe(true);
    expect(isDue({ ...certificate, isSelfSigned: true }, [HOST], now)).toBe(true);
    expect(isDue(null, [HOST], now)).toBe(true);
    expect(parseCertificate(readFileSync(selfSigned), readFileSync(keyFile)).isSelfSigned).toBe(true);
  });
});

it('a failed attempt is repeated after 15 minutes, then ever later, up to six hours', () => {
  const minutesUntilNext = [1, 2, 3, 5, 50].map((count) => {
    const failures = { count, lastAt: now.toISOString(), message: '' };
    return (nextAttemptAt(failures).getTime() - now.getTime()) / 60_000;
  });
  expect(minutesUntilNext).toEqual([15, 30, 60, 240, 360]);
});

it('an ACME server that can’t be reached is asked again only when it is time, also after a restart', async () => {
  const data = join(folder, 'data');
  mkdirSync(join(data, 'acme'), { recursive: true });
  const tls = { certificate: join(folder, 'certificate.pem'), key: keyFile };
  writeFileSync(tls.certificate, readFileSync(selfSigned));
  const acme = { email: 'admin@example.com', names: [], httpAddress: '127.0.0.1:0', dns: null, caFile: null };
  const installation = {
    host: HOST,
    data,
    tls,
    acme: { ...acme, server: 'https://127.0.0.1:1/directory' },
    ports: { smtp: 1, submissions: 1, imaps: 1 },
    probeAddress: '127.0.0.1',
  } as unknown as Installation;
  let time = now;
  const create = () =>
    createCertificateKeeper({
      installation,
      reload: async () => {},
      now: () => time,
      onLine: () => {},
      signal: new AbortController().signal,
    });
  await expect(create().keep()).rejects.toThrow();
  expect(await create().check()).toMatchObject([{ name: 'certificate_renewal', status: 'down', subject: HOST }]);
  time = new Date(now.getTime() + 14 * 60_000);
  await create().keep();
  time = new Date(now.getTime() + 15 * 60_000);
  await expect(create().keep()).rejects.toThrow();
  await expect(create().renew(() => {})).rejects.toThrow();
  expect(readFileSync(tls.certificate)).toEqual(readFileSync(selfSigned));
});
