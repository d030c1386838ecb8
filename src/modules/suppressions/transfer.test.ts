import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeSuppression } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

const api = await keyClient({ role: 'admin' });
let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const importCsv = (csv: string, over: object = {}) =>
  api.post('/suppressions/import', { domain_id: domain.id, csv, ...over });
const stored = () => db.suppression.findMany({ where: { domainId: domain.id }, orderBy: { email: 'asc' } });

describe('importing suppressions', () => {
  it('keeps the mailing lists of an export, and adds each once', async () => {
    const csv =
      'email,reason,list\nann@far.example,unsubscribe,news\nann@far.example,unsubscribe,\nann@far.example,unsubscribe,offers\nbo@far.example,unsubscribe,A b\n';
    const { data } = await importCsv(csv);
    expect(data).toMatchObject({ created: 3, failed: 1 });
    expect(data.lines[3].message).toContain('lower-case letters');
    const rows = await db.suppression.findMany({ where: { domainId: domain.id }, orderBy: { list: 'asc' } });
    expect(rows.map(({ list }) => list)).toEqual(['news', 'offers', null]);
    expect((await importCsv(csv)).data).toMatchObject({ created: 0, unchanged: 3, failed: 1 });
    expect((await importCsv(csv, { dry_run: true })).data).toMatchObject({ created: 0, unchanged: 3 });
  });

  it('checks each line against the database and the lines before it', async () => {
    await makeSuppression(domain.id, 'same@far.example');
    await makeSuppression(domain.id, 'over@far.example', { expiresAt: new Date('2026-01-01'), detail: 'old' });
    await makeSuppression(null, 'global@far.example');
    const csv = [
      'Email Address;reason;detail;expires_at',
      'Ann+News@far.example;;asked;',
      'bo@far.example;Bounce;550 5.1.1 unknown;2030-01-01T00:00:00Z',
      'same@far.example;;;',
      'same@far.example;unsubscribe;;',
      'ann@far.example;;;',
      'over@far.example;;new;',
      'global@far.example;;;',
      'nonsense;;;',
      'x@far.example;other;;',
      'y@far.example;;;soon',
      ';manual;;',
      'z@far.example;;;;more',
    ].join('\r\n');
    const dry = await importCsv(csv, { dry_run: true });
    expect(await stored()).toHaveLength(2);
    const { data } = await importCsv(csv);
    expect({ ...data, dry_run: true }).toEqual(dry.data);
    expect(data).toMatchObject({ dry_run: false, total: 12, created: 5, unchanged: 1, failed: 6 });
    expect(data.lines.map(({ line, outcome, code }: Record<string, unknown>) => [line, outcome, code])).toEqual([
      [2, 'created', null],
      [3, 'created', null],
      [4, 'unchanged', null],
      [5, 'created', null],
      [6, 'failed', 'CONFLICT'],
      [7, 'created', null],
      [8, 'created', null],
      [9, 'failed', 'VALIDATION_ERROR'],
      [10, 'failed', 'VALIDATION_ERROR'],
      [11, 'failed', 'VALIDATION_ERROR'],
      [12, 'failed', 'MISSING_FIELDS'],
      [13, 'failed', 'VALIDATION_ERROR'],
    ]);
    expect(await stored()).toMatchObject([
      { email: 'ann@far.example', reason: 'manual', detail: 'asked', createdBy: api.admin.id },
      { email: 'bo@far.example', reason: 'bounce', expiresAt: new Date('2030-01-01') },
      { email: 'global@far.example' },
      { email: 'over@far.example', detail: 'new', expiresAt: null },
      { email: 'same@far.example', reason: 'manual' },
      { email: 'same@far.example', reason: 'unsubscribe' },
    ]);
    const entries = await db.auditEntry.findMany({ where: { domainId: domain.id, action: 'suppression.import' } });
    expect(entries.map(({ details }) => details)).toMatchObject([
      { dry_run: true, created: 5 },
      { dry_run: false, created: 5 },
    ]);
    expect(data.failed_csv.split('\r\n')[0]).toBe('email_address,reason,detail,expires_at,,error');
  });

  it('suppresses no address because of bounces of its tags, as a bounce itself doesn’t', async () => {
    const csv =
      'email,reason\nAnn+x@far.example,Hard bounce\nann@far.example,bounce\nbo+x@far.example,complaint\n+cy@far.example,bounce';
    const { data } = await importCsv(csv);
    expect(data.lines).toMatchObject([
      {
        outcome: 'failed',
        code: 'VALIDATION_ERROR',
        message: expect.stringMatching(/^“email”: A bounce of an address with a tag/),
      },
      { outcome: 'created', email: 'ann@far.example' },
      { outcome: 'created', email: 'bo@far.example' },
      { outcome: 'created', email: '+cy@far.example' },
    ]);
    const withReason = await importCsv('email\ndee+x@far.example', { reason: 'bounce' });
    expect(withReason.data).toMatchObject({ created: 0, failed: 1 });
  });

  it('takes no error of a formula for a note, and ignores those in columns that it doesn’t read', async () => {
    const { data } = await importCsv('email,detail,created_at\nann@far.example,#N/A,\nbo@far.example,,#N/A');
    expect(data.lines).toMatchObject([{ outcome: 'failed' }, { outcome: 'created' }]);
  });

  it('adds each address once when two imports run at once', async () => {
    const csv = 'email\nann@far.example\nbo@far.example\ncy@far.example';
    const reports = await Promise.all([importCsv(csv), importCsv(csv)]);
    expect(reports.reduce((sum, { data }) => sum + data.created, 0)).toBe(3);
    expect(await stored()).toHaveLength(3);
  });

  it('reads the export, also for all domains', async () => {
    await makeSuppression(domain.id, 'ann@far.example', { detail: '=1+1, "quoted"', reason: 'complaint' });
    await makeSuppression(domain.id, 'bo@far.example', { expiresAt: new Date('2030-01-01') });
    const exported = await (await api.download(`/suppressions/export?domain_id=${domain.id}`)).text();
    expect((await importCsv(exported)).data).toMatchObject({ total: 2, unchanged: 2 });
    const before = await stored();
    await db.suppression.deleteMany({ where: { domainId: domain.id } });
    expect((await importCsv(exported)).data).toMatchObject({ created: 2 });
    const told = (rows: typeof before) =>
      rows.map(({ email, reason, detail, expiresAt }) => [email, reason, detail, expiresAt]);
    expect(told(await stored())).toEqual(told(before));
    expect((await importCsv(exported, { domain_id: null })).data).toMatchObject({ created: 2 });
    const filtered = await api.download(`/suppressions/export?domain_id=${domain.id}&reason=complaint`);
    expect((await filtered.text()).trim().split('\r\n')).toHaveLength(2);
  });

  it('rejects another column, and a file without the address', async () => {
    for (const csv of ['email,colour\nann@far.example,red', 'reason\nmanual'])
      expectError(await importCsv(csv), 400, 'VALIDATION_ERROR');
  });
});
