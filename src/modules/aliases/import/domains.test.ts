import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain } from '@/test/factories';
import { holdLocksOf, untilBlocked } from '@/test/locks';
import { expectError, keyClient } from '@/test/rest';

let one: { id: string; name: string };
let other: { id: string; name: string };

beforeEach(async () => {
  one = await makeDomain();
  other = await makeDomain();
});

type Api = Awaited<ReturnType<typeof keyClient>>;
const importFile = async (api: Api, lines: string[], over: object = {}) =>
  api.post('/aliases/import', { domain_id: null, csv: ['address,destination', ...lines].join('\n'), ...over });
const outcomes = ({ data }: { data: { lines: Record<string, unknown>[] } }) =>
  data.lines.map(({ line, domain, outcome, code }) => [line, domain, outcome, code]);
const sourcesOf = async ({ id }: { id: string }) => {
  const aliases = await db.alias.findMany({ where: { domainId: id }, orderBy: { sourceLocalPart: 'asc' } });
  return aliases.map(({ sourceLocalPart }) => sourceLocalPart);
};

describe('a file with addresses of several domains', () => {
  it('creates each alias in the domain of its address, and reports the lines in their order', async () => {
    const api = await keyClient({ role: 'admin' });
    const lines = [
      `info@${other.name},x@far.example`,
      `info@${one.name.toUpperCase()},x@far.example`,
      'nowhere,x@far.example',
      `@${other.name},x@far.example`,
      'info@unmanaged.example,x@far.example',
      `info@${one.name},y@far.example`,
    ];
    const dry = await importFile(api, lines, { dry_run: true });
    expect([await sourcesOf(one), await sourcesOf(other)]).toEqual([[], []]);
    const done = await importFile(api, lines);
    expect({ ...done.data, dry_run: true }).toEqual(dry.data);
    expect(done.data).toMatchObject({ total: 6, created: 3, unchanged: 0, failed: 3 });
    expect(outcomes(done)).toEqual([
      [2, other.name, 'created', null],
      [3, one.name, 'created', null],
      [4, null, 'failed', 'VALIDATION_ERROR'],
      [5, other.name, 'created', null],
      [6, null, 'failed', 'DOMAIN_NOT_FOUND'],
      [7, one.name, 'failed', 'CONFLICT'],
    ]);
    expect([await sourcesOf(one), await sourcesOf(other)]).toEqual([['info'], ['', 'info']]);
    expect(done.data.failed_csv).toContain('info@unmanaged.example,x@far.example,The domain unmanaged.example is not');
    const entries = await db.auditEntry.findMany({ where: { action: 'alias.import', domainId: other.id } });
    expect(entries.map(({ details }) => details)).toMatchObject([
      { dry_run: true, created: 2 },
      { dry_run: false, created: 2 },
    ]);
  });

  it('forms no chain between two domains of the file, in the preview either', async () => {
    const api = await keyClient({ role: 'admin' });
    const [first, second] = [one, other].toSorted((a, b) => (a.name < b.name ? -1 : 1)) as [typeof one, typeof one];
    const lines = [
      `target@${second.name},x@far.example`,
      `a@${first.name},target@${second.name}`,
      `b@${first.name},x@far.example`,
      `c@${second.name},b@${first.name}`,
    ];
    const dry = await importFile(api, lines, { dry_run: true });
    const done = await importFile(api, lines);
    expect({ ...done.data, dry_run: true }).toEqual(dry.data);
    expect(done.data.lines.map(({ code }: { code: unknown }) => code)).toEqual([
      'ALIAS_CHAIN',
      null,
      null,
      'ALIAS_CHAIN',
    ]);
  });

  it('rejects only the lines of domains that the caller may not use, with the reason', async () => {
    const inactive = await makeDomain({ active: false });
    const lines = [one, other, inactive].map(({ name }) => `info@${name},x@far.example`);
    const assigned = await keyClient({ role: 'domain_admin', domainIds: [one.id, inactive.id] });
    expect(outcomes(await importFile(assigned, lines))).toEqual([
      [2, one.name, 'created', null],
      [3, null, 'failed', 'FORBIDDEN'],
      [4, null, 'failed', 'DOMAIN_INACTIVE'],
    ]);
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [other.id] });
    expect(outcomes(await importFile(scoped, lines))).toEqual([
      [2, null, 'failed', 'API_KEY_DOMAIN_SCOPE'],
      [3, other.name, 'created', null],
      [4, null, 'failed', 'API_KEY_DOMAIN_SCOPE'],
    ]);
  });

  it('answers the same for a foreign domain and for one that isn’t managed, and records both as denied', async () => {
    const lines = [`info@${other.name},x@far.example`, 'info@unmanaged.example,x@far.example'];
    const messageOf = (name: string, text: string) => text.replaceAll(name, 'that domain');
    const callers = [
      { api: await keyClient({ role: 'domain_admin', domainIds: [one.id] }), code: 'FORBIDDEN' },
      { api: await keyClient({ role: 'admin', scopedDomainIds: [one.id] }), code: 'API_KEY_DOMAIN_SCOPE' },
    ];
    for (const { api, code } of callers) {
      const [foreign, unmanaged] = (await importFile(api, lines, { dry_run: true })).data.lines;
      expect([foreign.code, unmanaged.code]).toEqual([code, code]);
      expect(messageOf('unmanaged.example', unmanaged.message)).toBe(messageOf(other.name, foreign.message));
      const entries = await db.auditEntry.findMany({ where: { adminId: api.admin.id, action: 'alias.import' } });
      const ofOutcome = (outcome: string) => entries.filter((entry) => entry.outcome === outcome);
      expect(ofOutcome('error')).toMatchObject([
        {
          domainId: null,
          details: {
            refused_domains: [other.name, 'unmanaged.example'].toSorted(),
            refused_domain_codes: { [code]: 2 },
          },
        },
      ]);
      const denied = ofOutcome('denied').map(({ details }) => (details as { domain_id?: string }).domain_id ?? null);
      expect(denied.toSorted()).toEqual([other.id, null].toSorted());
    }
  });

  it('takes at most 500 domains', async () => {
    const api = await keyClient({ role: 'admin' });
    const lines = Array.from({ length: 501 }, (_, i) => `info@d${i}.example,x@far.example`);
    const { error } = expectError(await importFile(api, lines), 400, 'VALIDATION_ERROR');
    expect(error.message).toContain('501 domains');
    expect((await importFile(api, lines.slice(1))).data).toMatchObject({ failed: 500 });
  });

  it('checks access again when a domain’s turn comes', async () => {
    const api = await keyClient({ role: 'domain_admin', domainIds: [one.id, other.id] });
    const [first, second] = [one, other].toSorted((a, b) => (a.name < b.name ? -1 : 1)) as [typeof one, typeof one];
    const lines = [first, second].map(({ name }) => `info@${name},x@far.example`);
    const commit = await holdLocksOf('SELECT 1 FROM domain WHERE id = $1 FOR UPDATE', [first.id]);
    const answer = importFile(api, lines);
    await untilBlocked();
    await db.adminDomain.deleteMany({ where: { domainId: second.id } });
    await commit();
    expect((await answer).data.lines).toMatchObject([
      { outcome: 'created' },
      { outcome: 'failed', code: 'FORBIDDEN', message: `You are not assigned to the domain ${second.name}.` },
    ]);
  });

  it('fails the lines of a domain whose limit would be exceeded, and imports the others', async () => {
    const api = await keyClient({ role: 'admin' });
    await db.domain.update({ where: { id: one.id }, data: { maxAliases: 2 } });
    await makeAlias(one.id, 'same', 'x@far.example');
    const lines = [
      `same@${one.name},x@far.example`,
      `a@${one.name},x@far.example`,
      `b@${one.name},x@far.example`,
      `a@${other.name},x@far.example`,
    ];
    const dry = await importFile(api, lines, { dry_run: true });
    const done = await importFile(api, lines);
    expect({ ...done.data, dry_run: true }).toEqual(dry.data);
    expect(outcomes(done)).toEqual([
      [2, one.name, 'unchanged', null],
      [3, one.name, 'failed', 'CONFLICT'],
      [4, one.name, 'failed', 'CONFLICT'],
      [5, other.name, 'created', null],
    ]);
    expect(done.data.lines[1].message).toContain('1 of at most 2 aliases');
  });

  it('is recorded even if no line names a domain', async () => {
    const api = await keyClient({ role: 'admin' });
    expect((await importFile(api, [])).data).toMatchObject({ total: 0, failed_csv: null });
    expect((await importFile(api, ['info,x@far.example'])).data).toMatchObject({ total: 1, failed: 1 });
    const entries = await db.auditEntry.findMany({ where: { action: 'alias.import' }, orderBy: { id: 'asc' } });
    expect(entries.slice(-2).map(({ details }) => details)).toMatchObject([{ total: 0 }, { total: 1, failed: 1 }]);
  });

  it('imports both files once when they name the same domains in another order at once', async () => {
    const api = await keyClient({ role: 'admin' });
    const lines = Array.from({ length: 40 }, (_, i) => `a${i}@${(i % 2 ? one : other).name},x@far.example`);
    const reports = await Promise.all([
      importFile(api, lines),
      importFile(api, lines.toReversed()),
      importFile(api, lines),
    ]);
    expect(reports.reduce((sum, { data }) => sum + data.created, 0)).toBe(40);
    expect(reports.map(({ data }) => data.failed)).toEqual([0, 0, 0]);
  });

  it('needs null: a request without the domain is incomplete', async () => {
    const api = await keyClient({ role: 'admin' });
    const csv = `address,destination\ninfo@${one.name},x@far.example`;
    expectError(await api.post('/aliases/import', { csv }), 400, 'MISSING_FIELDS');
  });
});
