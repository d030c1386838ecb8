import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

type Row = { id: string; name: string };

async function seed(count: number) {
  const mark = unique();
  // The same time for all rows, so the id must break the tie.
  const createdAt = new Date('2026-01-01T00:00:00.000Z');
  for (let i = 0; i < count; i++) {
    await db.domain.create({ data: { name: `${String(i).padStart(3, '0')}-${mark}.example`, createdAt } });
  }
  return { mark, api: await keyClient() };
}

async function walk(
  get: (cursor: string) => Promise<{ data: Row[]; meta: { pagination: unknown } }>,
  between?: () => Promise<unknown>,
) {
  const seen: Row[] = [];
  let cursor = '';
  for (;;) {
    const { data, meta } = await get(cursor);
    seen.push(...data);
    const pagination = meta.pagination as { next_cursor: string; has_more: boolean };
    if (!pagination.has_more) {
      expect(pagination.next_cursor).toBe('');
      return seen;
    }
    cursor = `&cursor=${encodeURIComponent(pagination.next_cursor)}`;
    await between?.();
  }
}

describe('paging through a list', () => {
  it.each(['created_at', 'name'])('by %s returns every row once, in both orders', async (sort) => {
    const { mark, api } = await seed(23);
    for (const order of ['asc', 'desc']) {
      const rows = await walk((cursor) => api.get(`/domains?q=${mark}&limit=5&sort=${sort}&order=${order}${cursor}`));
      const names = rows.map((row) => row.name);
      expect(new Set(names).size).toBe(23);
      if (sort === 'name') expect(names).toEqual(order === 'asc' ? names.toSorted() : names.toSorted().toReversed());
    }
  });

  it('skips and repeats no row while rows are added and deleted', async () => {
    const { mark, api } = await seed(20);
    const before = await db.domain.findMany({ where: { name: { contains: mark } }, orderBy: { name: 'asc' } });
    let gone = 0;
    const rows = await walk(
      (cursor) => api.get(`/domains?q=${mark}&limit=3&sort=name&order=asc${cursor}`),
      async () => {
        await makeDomain({ name: `000-${unique()}-${mark}.example` });
        await db.domain.delete({ where: { id: before[gone++]?.id } });
      },
    );
    const ids = rows.map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const row of before.slice(gone)) expect(ids).toContain(row.id);
  });
});

describe('a cursor', () => {
  it('is rejected if altered, or used with another filter, order or list', async () => {
    const { mark, api } = await seed(3);
    const page = await api.get(`/domains?q=${mark}&limit=1`);
    const cursor = page.meta.pagination?.next_cursor as string;
    const altered = cursor.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    for (const query of [
      `q=${mark}&cursor=${altered}`,
      `q=${mark}x&cursor=${cursor}`,
      `q=${mark}&order=asc&cursor=${cursor}`,
      `cursor=${cursor}`,
      'cursor=nonsense',
      `cursor=${'a'.repeat(3000)}`,
    ]) {
      const answer = expectError(await api.get(`/domains?${query}`), 400, 'INVALID_PAGINATION');
      expect(answer.error.details.fields?.[0]?.path).toBe('cursor');
    }
    expectError(await api.get(`/api-keys?cursor=${cursor}`), 400, 'INVALID_PAGINATION');
  });

  it('is none if it is empty, as at the start of a loop', async () => {
    const { mark, api } = await seed(3);
    const first = await api.get(`/domains?q=${mark}&limit=1`);
    expect((await api.get(`/domains?q=${mark}&limit=1&cursor=`)).data).toEqual(first.data);
    expect((await api.get('/events?after=')).status).toBe(200);
  });

  it('works with another page size', async () => {
    const { mark, api } = await seed(3);
    const page = await api.get(`/domains?q=${mark}&limit=1`);
    const rest = await api.get(`/domains?q=${mark}&limit=2&cursor=${page.meta.pagination?.next_cursor}`);
    expect(rest.data).toHaveLength(2);
  });
});

describe('a total', () => {
  it('counts the rows of all pages that match the filters, if it is asked for', async () => {
    const { mark, api } = await seed(7);
    const first = await api.get(`/domains?q=${mark}&limit=3&total=true`);
    expect(first.meta.pagination).toMatchObject({ has_more: true, total: 7 });
    const cursor = first.meta.pagination?.next_cursor;
    const second = await api.get(`/domains?q=${mark}&limit=3&cursor=${cursor}`);
    expect(second.data).toHaveLength(3);
    expect(second.meta.pagination).not.toHaveProperty('total');
    expect((await api.get(`/domains?q=${mark}&total=true&cursor=${cursor}`)).meta.pagination?.total).toBe(7);
  });

  it('is at most 10,000', async () => {
    const { id } = await makeDomain();
    const api = await keyClient();
    await db.$executeRaw`
      INSERT INTO alias (id, domain_id, source_local_part, destination, created_at, updated_at)
      SELECT gen_random_uuid(), ${id}::uuid, 'a' || n, 'ann@far.example', now(), now()
        FROM generate_series(1, 10001) AS n`;
    const all = await api.get(`/aliases?domain_id=${id}&limit=1&total=true`);
    expect(all.meta.pagination).toMatchObject({ has_more: true, total: 10_000 });
    const some = await api.get(`/aliases?domain_id=${id}&limit=1&total=true&q=a999`);
    expect(some.meta.pagination?.total ?? null).toBeNull();
    await db.alias.deleteMany({ where: { domainId: id, sourceLocalPart: { gt: 'a11' } } });
    const few = await api.get(`/aliases?domain_id=${id}&limit=1&total=true&q=a10`);
    expect(few.meta.pagination?.total).toBe(113);
  });

  it('has only rows of the caller’s domains', async () => {
    const [own, other] = [await makeDomain(), await makeDomain()];
    for (const { id } of [own, own, other]) await makeMailbox(id, unique());
    const api = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
    expect((await api.get('/mailboxes?limit=1&total=true')).meta.pagination?.total).toBe(2);
    expect((await api.get('/audit?limit=1&total=true')).meta.pagination?.total).toBe(0);
  });

  it('is null for audit entries by conditions that no index has together', async () => {
    const api = await keyClient();
    const totalOf = async (query: string) => (await api.get(`/audit?${query}&total=true`)).meta.pagination?.total;
    expect(await totalOf('outcome=success')).toBeTypeOf('number');
    expect(await totalOf('outcome=success&action=domain.create')).toBeNull();
  });
});

describe('a limit', () => {
  it.each(['0', '201', '-1', '1.5', '1e2', '0x10', ' 5', '', 'ten', '05', '٣'])('of %j is rejected', async (limit) => {
    const api = await keyClient();
    expectError(await api.get(`/domains?limit=${encodeURIComponent(limit)}`), 400, 'INVALID_PAGINATION');
  });

  it('is 50 by default and 200 at most', async () => {
    const { mark, api } = await seed(55);
    expect((await api.get(`/domains?q=${mark}`)).data).toHaveLength(50);
    expect((await api.get(`/domains?q=${mark}&limit=200`)).data).toHaveLength(55);
  });
});
