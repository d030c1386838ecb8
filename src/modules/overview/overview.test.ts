import { describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import { makeAdmin, makeDomain, makeMailbox, makeSession } from '@/test/factories';

const MESSAGE = 'There is no MX record.';

async function overviewFor(domainIds: string[], input: { domain_id?: string } = {}) {
  const { id } = await makeAdmin({ role: 'domain_admin', domainIds });
  const headers = { cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' };
  return appRouter.createCaller(createContext(new Request('http://localhost/', { headers }))).overview.get(input);
}

async function domainWithRecords(records: { severity: string; required: boolean }[], active = true) {
  const domain = await makeDomain({ active });
  const isBroken = records.some(({ severity, required }) => severity === 'error' && required);
  await db.domain.update({ where: { id: domain.id }, data: { dnsStatus: isBroken ? 'error' : 'warning' } });
  const at = new Date();
  await db.dnsRecord.createMany({
    data: records.map((record, position) => ({
      ...record,
      domainId: domain.id,
      position,
      purpose: 'mx',
      type: 'MX',
      name: `${position}.${domain.name}`,
      found: [],
      status: 'missing',
      message: MESSAGE,
      changedAt: at,
      checkedAt: at,
    })),
  });
  return domain;
}

const broken = { severity: 'error', required: true };

describe('the overview', () => {
  it('lists the admin’s active domains whose mail depends on broken records, and no others', async () => {
    const own = await domainWithRecords([broken, { severity: 'warning', required: true }, broken]);
    const optional = await domainWithRecords([{ severity: 'error', required: false }]);
    const inactive = await domainWithRecords([broken], false);
    const foreign = await domainWithRecords([broken]);
    const ids = [own.id, optional.id, inactive.id];
    const listed = [{ domain_id: own.id, domain: own.name, count: 2, status: 'missing', message: MESSAGE }];
    expect((await overviewFor(ids)).broken_dns).toEqual(listed);
    expect((await overviewFor(ids, { domain_id: optional.id })).broken_dns).toEqual([]);
    await expect(overviewFor(ids, { domain_id: foreign.id })).rejects.toMatchObject({
      message: 'There is no such domain.',
    });
  });

  it('has a checklist of the selected domain, or of the one that was added last', async () => {
    const first = await domainWithRecords([broken, broken]);
    const last = await makeDomain();
    await makeMailbox(first.id, 'ann');
    const ids = [first.id, last.id];
    const unchecked = { domain_id: last.id, domain: last.name, is_checked: false, broken: 0 };
    expect((await overviewFor(ids)).checklist).toMatchObject({ has_domain: true, has_mailbox: true, dns: unchecked });
    const selected = await overviewFor(ids, { domain_id: first.id });
    expect(selected.checklist.dns).toMatchObject({ domain_id: first.id, is_checked: true, broken: 2 });
    expect((await overviewFor([])).checklist).toMatchObject({ has_domain: false, has_mailbox: false, dns: null });
  });
});
