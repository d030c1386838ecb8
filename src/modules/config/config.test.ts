import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import { applySavedSettings, followSavedSettings } from '@/server/settings/saved';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { deletionOf } from './deletions';
import { warnOfDomainLists } from './domain-lists';
import type { Setting } from './schema';

const api = await keyClient();

afterEach(async () => {
  delete process.env.EVENT_RETENTION_DAYS;
  await db.savedSetting.deleteMany();
  await applySavedSettings(db);
});

const save = (values: object, more: object = {}) => api.patch('/config', { values, ...more });
async function setting(key: string): Promise<Setting> {
  const { data } = await api.get('/config');
  const found = (data as Setting[]).find((one) => one.key === key);
  if (!found) throw new Error(`no setting ${key}`);
  return found;
}

describe('GET /config', () => {
  it('names the value in effect, its default, limits and source', async () => {
    expect(await setting('EVENT_RETENTION_DAYS')).toEqual({
      key: 'EVENT_RETENTION_DAYS',
      group: 'Retention',
      value: 30,
      type: 'integer',
      unit: 'days',
      minimum: 1,
      maximum: 3650,
      options: null,
      zero_text: null,
      default: 30,
      source: 'default',
      mutable: true,
      secret: false,
      needs_restart: false,
      label: 'Event retention',
      description: 'How long events and webhook deliveries are kept.',
      if_unset: null,
      problem: null,
      has_history: false,
      updated_at: null,
      updated_by: null,
    });
  });

  it('names all values of a setting that has few, and what 0 or no value means', async () => {
    expect(await setting('ALERT_EMAILS')).toMatchObject({ value: [], if_unset: 'nobody' });
    expect(await setting('ALERT_EMAIL_SEVERITY')).toMatchObject({ options: ['warning', 'critical'] });
    expect(await setting('MESSAGE_CONTENT_DAYS')).toMatchObject({ zero_text: 'No content is kept.' });
  });

  it('returns nothing secret', async () => {
    const { data } = (await api.get('/config')) as { data: Setting[] };
    const { password, hostname } = new URL(process.env.DATABASE_URL as string);
    expect(JSON.stringify(data)).not.toContain(process.env.SECRET_KEY);
    expect(data.find(({ key }) => key === 'SECRET_KEY')?.value).toBe('••••••••');
    const shown = data.find(({ key }) => key === 'DATABASE_URL')?.value;
    expect(shown).toContain(hostname);
    if (password) expect(shown).not.toContain(password);
    const SECRETS = {
      CRON_SECRET: 'cron:horse-battery-staple',
      HEARTBEAT_URL: 'https://hc-ping.com/battery/staple?battery',
    };
    Object.assign(process.env, SECRETS);
    const settings = (await api.get('/config')).data;
    for (const name of Object.keys(SECRETS)) delete process.env[name];
    expect(JSON.stringify(settings)).not.toContain('battery');
    expect(JSON.stringify(settings)).toContain('https://hc-ping.com/');
  });

  it('is for super admins, and not for keys with a scope', async () => {
    for (const role of ['admin', 'domain_admin'] as const)
      expectError(await (await keyClient({ role })).get('/config'), 403, 'FORBIDDEN');
  });
});

describe('PATCH /config', () => {
  it('puts values into effect immediately, and returns to the default with null', async () => {
    const { data } = await save({ EVENT_RETENTION_DAYS: 7, BLOCKLISTS: [], CORS_ORIGINS: ['https://a.example'] });
    expect(data).toMatchObject({ dry_run: false });
    expect(data.changes).toContainEqual({
      key: 'EVENT_RETENTION_DAYS',
      before: { value: 30, source: 'default' },
      after: { value: 7, source: 'database' },
      deletes: null,
    });
    expect(env()).toMatchObject({ eventRetentionDays: 7, blocklists: [], corsOrigins: ['https://a.example'] });
    expect(await setting('BLOCKLISTS')).toMatchObject({ value: [], source: 'database' });
    await save({ EVENT_RETENTION_DAYS: null });
    expect(env().eventRetentionDays).toBe(30);
    expect(await setting('EVENT_RETENTION_DAYS')).toMatchObject({ source: 'default', updated_at: null });
  });

  it('saves nothing in a dry run', async () => {
    const { data } = await save({ EVENT_RETENTION_DAYS: 7 }, { dry_run: true });
    expect(data).toMatchObject({ dry_run: true, changes: [{ after: { value: 7, source: 'database' } }] });
    expect(env().eventRetentionDays).toBe(30);
    expect(await db.savedSetting.count()).toBe(0);
  });

  it.each([
    ['an unknown key', { NO_SUCH: 1 }, 'values.NO_SUCH'],
    ['an inherited name', { constructor: 1 }, 'values.constructor'],
    ['a text for a number', { EVENT_RETENTION_DAYS: '7' }, 'values.EVENT_RETENTION_DAYS'],
    ['a fraction', { EVENT_RETENTION_DAYS: 7.5 }, 'values.EVENT_RETENTION_DAYS'],
    ['a number beyond the limits', { EVENT_RETENTION_DAYS: 0 }, 'values.EVENT_RETENTION_DAYS'],
    ['a number for a boolean', { NETWORK_CHECKS: 1 }, 'values.NETWORK_CHECKS'],
    ['a text for a list', { CORS_ORIGINS: 'https://a.example' }, 'values.CORS_ORIGINS'],
    ['a list entry with a comma', { CORS_ORIGINS: ['https://a.example,https://b.example'] }, 'values.CORS_ORIGINS'],
    ['a list entry that is not valid', { CORS_ORIGINS: ['*'] }, 'values.CORS_ORIGINS'],
    ['an empty text', { CERTIFICATE_ISSUER: '' }, 'values.CERTIFICATE_ISSUER'],
    ['a setting of the environment only', { SECRET_KEY: 'a'.repeat(64) }, 'values.SECRET_KEY'],
    [
      'a setting that may never change',
      { WEBHOOK_ALLOW_PRIVATE_NETWORKS: true },
      'values.WEBHOOK_ALLOW_PRIVATE_NETWORKS',
    ],
    ['a limit that would keep everybody out', { RATE_LIMIT_PER_MINUTE: 5 }, 'values.RATE_LIMIT_PER_MINUTE'],
  ])('rejects %s, and saves nothing of the rest', async (_, values, path) => {
    const answer = expectError(await save({ REPORT_RETENTION_DAYS: 10, ...values }), 400, 'VALIDATION_ERROR');
    expect(answer.error?.details?.fields).toEqual([{ path, message: expect.any(String) }]);
    expect(await db.savedSetting.count()).toBe(0);
  });

  it('rejects what the environment sets, and shows that value', async () => {
    process.env.EVENT_RETENTION_DAYS = '9';
    await applySavedSettings(db);
    const answer = expectError(await save({ EVENT_RETENTION_DAYS: 7 }), 400, 'VALIDATION_ERROR');
    expect(answer.error?.message).toContain('The environment sets it');
    expect(await setting('EVENT_RETENTION_DAYS')).toMatchObject({ value: 9, source: 'environment', mutable: false });
  });

  it('is one entry in the audit log, with what changed', async () => {
    const { meta } = await save({ EVENT_RETENTION_DAYS: 7, DOMAIN_BLOCKLISTS: null });
    const entries = await db.auditEntry.findMany({ where: { requestId: meta.request_id } });
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      resource: 'config',
      outcome: 'success',
      details: { before: { EVENT_RETENTION_DAYS: 30 }, after: { EVENT_RETENTION_DAYS: 7 }, dry_run: false },
    });
  });

  it('refuses a change based on what another admin has changed since, and names it', async () => {
    const seen = await setting('EVENT_RETENTION_DAYS');
    await save({ EVENT_RETENTION_DAYS: 7 });
    const expected = { EVENT_RETENTION_DAYS: seen.updated_at };
    const answer = expectError(await save({ EVENT_RETENTION_DAYS: 8 }, { expected }), 412, 'VERSION_CONFLICT');
    expect(answer.error?.message).toContain('EVENT_RETENTION_DAYS (by ');
    expect(answer.error?.details?.current).toMatchObject([{ value: 7 }]);
    expect(env().eventRetentionDays).toBe(7);
  });

  it('has one winner of two changes at once that saw the same', async () => {
    const expected = { EVENT_RETENTION_DAYS: null };
    const answers = await Promise.all([7, 8, 9].map((days) => save({ EVENT_RETENTION_DAYS: days }, { expected })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect(await db.savedSetting.count()).toBe(1);
  });

  it('keeps the history of each setting', async () => {
    await save({ EVENT_RETENTION_DAYS: 7, REPORT_RETENTION_DAYS: 10 });
    await save({ EVENT_RETENTION_DAYS: null });
    const { data } = await api.get('/config/EVENT_RETENTION_DAYS/history?limit=2');
    expect(data).toMatchObject([
      { before: 7, after: null },
      { before: null, after: 7, changed_by: { email: expect.stringContaining('@') } },
    ]);
    expect(data).toMatchObject([1, 2].map(() => ({ api_key_id: api.keyId, api_key_name: expect.any(String) })));
    expect(await setting('EVENT_RETENTION_DAYS')).toMatchObject({ source: 'default', has_history: true });
    expectError(await api.get('/config/NO_SUCH/history'), 404, 'NOT_FOUND');
  });
});

describe('saved settings', () => {
  it('are in effect in another process within two seconds', async () => {
    const stop = followSavedSettings(db);
    const data = {
      key: 'EVENT_RETENTION_DAYS',
      value: '11',
      updatedById: crypto.randomUUID(),
      updatedByEmail: 'a@b.c',
    };
    await db.savedSetting.create({ data });
    await expect.poll(() => env().eventRetentionDays).toBe(11);
    stop();
  });

  it('that this version does not accept are left out, and reported', async () => {
    const by = { updatedById: crypto.randomUUID(), updatedByEmail: 'a@b.c' };
    await db.savedSetting.createMany({
      data: [
        { key: 'EVENT_RETENTION_DAYS', value: 'never', ...by },
        { key: 'GONE', value: '1', ...by },
        { key: 'SECRET_KEY', value: 'x'.repeat(64), ...by },
        { key: 'REPORT_RETENTION_DAYS', value: '12', ...by },
      ],
    });
    await applySavedSettings(db);
    expect(env()).toMatchObject({ eventRetentionDays: 30, reportRetentionDays: 12 });
    expect(env().secretKeys).toEqual([process.env.SECRET_KEY]);
    expect(await setting('EVENT_RETENTION_DAYS')).toMatchObject({
      value: 30,
      source: 'default',
      problem: 'The saved value is not valid in this version.',
    });
  });
});

describe.each(['ALERT_EMAIL_DOMAINS', 'ALERT_WEBHOOK_DOMAINS'])('%s', (key) => {
  afterEach(() => {
    delete process.env[key];
  });

  it('refuses names that are not managed domains, all or none, with the reason on the field', async () => {
    const { name } = await makeDomain();
    const refused = expectError(await save({ [key]: [name, 'one.example', 'two.example'] }), 400, 'VALIDATION_ERROR');
    expect(refused.error.details.fields).toEqual([
      { path: `values.${key}`, message: expect.stringContaining('one.example, two.example are not managed') },
    ]);
    expect(await setting(key)).toMatchObject({ value: [], problem: null });
    await save({ [key]: [name.toUpperCase()] });
    expect(await setting(key)).toMatchObject({ value: [name], problem: null });
  });

  it('shows names of the environment and of deleted domains that are not managed', async () => {
    const { id, name } = await makeDomain();
    await save({ [key]: [name] });
    await db.domain.delete({ where: { id } });
    expect(await setting(key)).toMatchObject({
      value: [name],
      problem: expect.stringContaining(`${name} is not managed`),
    });
    expect((await save({ [key]: [name], EVENT_RETENTION_DAYS: 31 })).status).toBe(200);
    process.env[key] = `gone.example,${(await makeDomain()).name}`;
    expect((await setting(key)).problem).toMatch(/^gone\.example is not managed/);
  });
});

describe('the domain lists at a start', () => {
  it('are logged with the names that are not managed, saved ones too', async () => {
    const { id, name } = await makeDomain();
    await save({ ALERT_EMAIL_DOMAINS: [name] });
    await db.domain.delete({ where: { id } });
    const warn = vi.spyOn(log, 'warn');
    onTestFinished(() => warn.mockRestore());
    await warnOfDomainLists(db);
    const problem = expect.stringContaining(`${name} is not managed`);
    expect(warn.mock.calls.map(([fields]) => fields)).toEqual([{ key: 'ALERT_EMAIL_DOMAINS', problem }]);
  });

  it('keep no instance from starting if they can’t be read', async () => {
    await db.$executeRaw`ALTER TABLE saved_setting RENAME TO saved_setting_away`;
    try {
      await expect(warnOfDomainLists(db)).resolves.toBeUndefined();
    } finally {
      await db.$executeRaw`ALTER TABLE saved_setting_away RENAME TO saved_setting`;
    }
  });
});

describe('fewer days', () => {
  const DAY_MS = 24 * 3_600_000;

  it('say how much is deleted, before and after they are saved', async () => {
    const domain = await makeDomain();
    for (const days of [5, 40, 50]) {
      const createdAt = new Date(Date.now() - days * DAY_MS);
      const texts = {
        fromAddress: 'a@post.example',
        toAddresses: [],
        subject: '',
        messageId: `<${days}@post.example>`,
      };
      const data = { domainId: domain.id, direction: 'outbound' as const, status: 'sent' as const, sizeBytes: 1 };
      await db.message.create({ data: { ...data, ...texts, createdAt } });
    }
    const deletes = async (values: object, dry_run = true) => {
      const { data } = await save(values, { dry_run });
      return data.changes.map((change: { deletes: unknown }) => change.deletes);
    };
    expect(await deletes({ MESSAGE_RETENTION_DAYS: 30 })).toEqual([{ what: 'messages', count: 2 }]);
    expect(await deletes({ MESSAGE_RETENTION_DAYS: 60 })).toEqual([null]);
    expect(await deletes({ MESSAGE_RETENTION_DAYS: 0 }, false)).toEqual([null]);
    expect(await deletes({ MESSAGE_RETENTION_DAYS: 45 }, false)).toEqual([{ what: 'messages', count: 1 }]);
    expect(await deletes({ MESSAGE_RETENTION_DAYS: 90 }, false)).toEqual([null]);
  });

  it('of contents, events and reports count, too', async () => {
    const { id: domainId } = await makeDomain();
    const old = new Date(Date.now() - 5 * DAY_MS);
    await db.event.create({ data: { type: 'mail.sent', body: '{}', bodyBytes: 2, createdAt: old } });
    const stored = { rawBytes: 1, storedBytes: 1, storeId: domainId, objectName: domainId, storedAt: old };
    await db.messageContent.create({ data: { messageId: domainId, domainId, state: 'kept', ...stored } });
    const times = { beginAt: old, endAt: old, receivedAt: old, day: old };
    const texts = { organisation: 'o', contact: 'c', reportId: 'r', policies: [], source: 'upload' as const };
    const counts = { sessions: 1, failedSessions: 0, rowCount: 0, isTruncated: false };
    await db.tlsReport.create({ data: { domainId, fingerprint: Buffer.from('1'), ...times, ...texts, ...counts } });
    for (const [key, what] of [
      ['MESSAGE_CONTENT_DAYS', 'contents of messages'],
      ['EVENT_RETENTION_DAYS', 'events'],
      ['REPORT_RETENTION_DAYS', 'reports'],
    ] as const) {
      const of = (after: number) => deletionOf(db, { key, before: 7, after, now: new Date() });
      expect(await of(6)).toBeNull();
      expect(await of(4)).toEqual({ what, count: 1 });
    }
  });
});
