import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { makeBackup } from '../backup-records';
import { db } from '../database';
import { makeDomain, makeMailbox, makeNode, makeOperation, makeTemplate, makeWebhook, unique } from '../factories';
import { makeReportedDomain, uploadDmarc, uploadTls } from '../reports/upload';
import { document, expectError, keyClient } from '../rest';

type Parameter = { name: string; in: string };
type Api = Awaited<ReturnType<typeof keyClient>>;

/** Lists that the console doesn't show, or only as a part of one setting, domain or account. */
const WITHOUT_EXPORT = [
  '/events',
  '/backups/operations',
  '/auth/sessions',
  '/config/{key}/history',
  '/domains/{id}/dkim',
];
const PAGE_PARAMETERS = ['cursor', 'limit', 'total'];

const gets = Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
  const { get } = item as { get?: { parameters?: Parameter[] } };
  return get ? [{ path, names: (get.parameters ?? []).map(({ name }) => name) }] : [];
});

async function rowsOf(api: Api, path: string): Promise<Record<string, string>[]> {
  const response = await api.download(path);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  expect(response.headers.get('x-row-limit-reached')).toBe('false');
  return parse(text, { columns: true });
}

describe('every list', () => {
  const lists = gets.filter(({ path, names }) => names.includes('cursor') && !WITHOUT_EXPORT.includes(path));

  it.each(lists)('$path has an export with its filters and its order', ({ path, names }) => {
    const found = gets.find((other) => other.path === `${path}/export`);
    const filters = names.filter((name) => !PAGE_PARAMETERS.includes(name));
    expect(found?.names.filter((name) => name !== 'format').toSorted()).toEqual(filters.toSorted());
  });
});

describe('the export', () => {
  it('of webhooks has those of a domain that are active', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    const webhook = await makeWebhook({ domainId: domain.id, events: ['mail.sent', 'mail.bounced'] });
    await makeWebhook({ domainId: domain.id, active: false });
    await makeWebhook();
    expect(await rowsOf(api, `/webhooks/export?domain_id=${domain.id}&active=true`)).toMatchObject([
      { id: webhook.id, url: webhook.url, events: 'mail.sent, mail.bounced', active: 'true' },
    ]);
  });

  it('of filters has those of one scope, without those of other domains', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    const mailbox = await makeMailbox(own.id, 'ann');
    const filter = { name: 'Spam', script: 'fileinto "Junk";\nstop;' };
    const of = (data: { scope: 'domain'; domainId: string } | { scope: 'mailbox'; mailboxId: string }) =>
      db.sieveFilter.create({ data: { ...filter, ...data } });
    await of({ scope: 'domain', domainId: own.id });
    await of({ scope: 'domain', domainId: foreign.id });
    const { id } = await of({ scope: 'mailbox', mailboxId: mailbox.id });
    const api = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
    expect(await rowsOf(api, '/sieve-filters/export')).toHaveLength(2);
    expect(await rowsOf(api, '/sieve-filters/export?scope=mailbox')).toMatchObject([
      { id, scope: 'mailbox', mailbox: `ann@${own.name}`, name: 'Spam', script: filter.script },
    ]);
  });

  it('of templates has those of the caller’s domains', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    await makeTemplate(own.id, 'order');
    await makeTemplate(foreign.id, 'order');
    const api = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
    expect(await rowsOf(api, '/templates/export')).toMatchObject([
      { domain: own.name, name: 'order', subject: 'Matrix', published_version: '1', has_changes: 'true' },
    ]);
  });

  it('of backups, nodes and operations has each with its result', async () => {
    const api = await keyClient();
    const backup = await makeBackup({ proofState: 'proven', proofMessage: 'All rows are there.' });
    const node = await makeNode({ isAlive: false });
    const operation = await makeOperation({ service: 'postfix' });
    expect(await rowsOf(api, '/backups/export')).toContainEqual(
      expect.objectContaining({ id: backup.id, status: 'completed', proof_state: 'proven', size_bytes: '1000' }),
    );
    expect(await rowsOf(api, '/cluster/nodes/export')).toContainEqual(
      expect.objectContaining({ id: node.id, roles: 'web, worker', alive: 'false' }),
    );
    expect(await rowsOf(api, '/orchestrator/operations/export')).toContainEqual(
      expect.objectContaining({
        id: operation.id,
        service: 'postfix',
        requested_by: 'ann@admins.example',
        message: 'Reloaded Postfix.',
      }),
    );
  });

  it('of services and of snapshots of mail has those of all mail servers', async () => {
    const api = await keyClient();
    const [host, at] = [`${unique()}.example`, new Date('2026-11-20T08:00:00Z')];
    const status = { state: 'stopped', since: at, checkedAt: at, message: 'Exited.', driftMessage: '' } as const;
    const drift = [{ path: '/etc/postfix/main.cf', kind: 'changed' }];
    await db.mailService.create({ data: { host, service: 'postfix', ...status, drift } });
    await db.mailSnapshot.create({ data: { host, id: 'a'.repeat(64), takenAt: at, files: 7 } });
    expect(await rowsOf(api, '/orchestrator/export')).toContainEqual(
      expect.objectContaining({ host, service: 'postfix', drift: '/etc/postfix/main.cf changed' }),
    );
    expect(await rowsOf(api, '/backups/mail/export')).toContainEqual(
      expect.objectContaining({ host, id: 'a'.repeat(64), taken_at: at.toISOString(), files: '7', added_bytes: '' }),
    );
  });

  it('of health has each check with its limits', async () => {
    const api = await keyClient();
    const [subject, at] = [`${unique()}.example`, new Date()];
    await db.healthCheck.create({
      data: { name: 'disk', subject, status: 'degraded', value: 25, message: '', since: at, checkedAt: at },
    });
    const rows = await rowsOf(api, '/system/health/export');
    const { data } = await api.get('/system/health');
    expect(rows.map(({ name, subject: of }) => [name, of])).toEqual(
      data.checks.map((check: { name: string; subject: string }) => [check.name, check.subject]),
    );
    expect(rows.find((row) => row.subject === subject)).toMatchObject({
      status: 'degraded',
      value: '25',
      threshold: 'below',
      degraded_threshold: expect.stringMatching(/^\d+$/),
    });
  });

  it('of DNS has the records of a domain, and their changes', async () => {
    const domain = await makeDomain();
    const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    const at = new Date('2026-11-20T08:00:00Z');
    const record = { domainId: domain.id, purpose: 'spf', type: 'TXT', name: domain.name, status: 'ok' };
    const check = { severity: 'ok', required: true, message: '', found: ['v=spf1 -all'], position: 0 };
    await db.domain.update({ where: { id: domain.id }, data: { dnsStatus: 'ok', dnsCheckedAt: at } });
    await db.dnsRecord.create({ data: { ...record, ...check, changedAt: at, checkedAt: at } });
    await db.dnsChange.create({ data: { ...record, before: [], after: ['v=spf1 -all'], at } });
    expect(await rowsOf(api, `/domains/${domain.id}/dns/export`)).toMatchObject([
      { purpose: 'spf', found: 'v=spf1 -all', expected: '', checked_at: at.toISOString() },
    ]);
    expect(await rowsOf(api, `/domains/${domain.id}/dns/history/export`)).toMatchObject([
      { purpose: 'spf', before: '', after: 'v=spf1 -all', at: at.toISOString() },
    ]);
    const foreign = await makeDomain();
    expectError(await api.get(`/domains/${foreign.id}/dns/export`), 404, 'NOT_FOUND');
    expectError(await api.get(`/domains/${foreign.id}/dns/history/export`), 404, 'NOT_FOUND');
  });

  it('of top senders has all of them in the chosen order', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    const at = new Date(Date.now() - 2 * 60 * 60 * 1000);
    const send = (name: string) => ({ id: uuidv7(), address: `${name}@${domain.name}`, domainId: domain.id, at });
    await db.countedSend.createMany({ data: [send('ann'), send('bo'), send('bo')] });
    const rows = await rowsOf(api, `/abuse/senders/export?domain_id=${domain.id}&sort=sent_last_24h`);
    expect(rows.map(({ address, sent_last_24h: sent }) => [address, sent])).toEqual([
      [`bo@${domain.name}`, '2'],
      [`ann@${domain.name}`, '1'],
    ]);
  });

  it('of DMARC and TLS reports has those of a domain', async () => {
    const { domain, api } = await makeReportedDomain();
    await uploadDmarc(api, { domain: domain.name, rows: [{ count: 5 }, { count: 9, dkim: 'fail', spf: 'fail' }] });
    await uploadTls(api, { domain: domain.name, failures: [{ sessions: 3 }] });
    expect(await rowsOf(api, `/dmarc/reports/export?domain_id=${domain.id}`)).toMatchObject([
      { organisation: 'far.example', messages: '14', failed: '9', source: 'upload' },
    ]);
    expect(await rowsOf(api, `/tls/reports/export?domain_id=${domain.id}`)).toMatchObject([
      { organisation: 'Far Mail', failed_sessions: '3' },
    ]);
  });
});
