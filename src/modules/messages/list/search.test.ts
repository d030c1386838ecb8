import { describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import { makeAdmin, makeDomain, makeSession, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';
import type { MessageStatus } from '../schema';

type Parts = {
  from?: string;
  to?: string;
  cc?: string;
  subject?: string;
  queueId?: string;
  status?: MessageStatus;
  at?: Date;
};

async function setUp() {
  const domain = await makeDomain();
  const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
  const find = async (q: string, query = ''): Promise<string[]> =>
    (await api.get(`/messages?q=${encodeURIComponent(q)}${query}`)).data.map((row: { id: string }) => row.id);
  const make = async (parts: Parts = {}, domainId = domain.id) => {
    const { from = 'shop@post.example', to = 'ann@far.example', cc, subject = 'Hello', status = 'sent' } = parts;
    const recipients = [
      { address: to, kind: 'to', status } as const,
      ...(cc ? [{ address: cc, kind: 'cc', status } as const] : []),
    ];
    return db.message.create({
      data: {
        messageId: `<${unique()}@post.example>`,
        queueId: parts.queueId ?? null,
        ...{ domainId, direction: 'outbound', fromAddress: from, toAddresses: [to], subject, sizeBytes: 100, status },
        copyAddresses: cc ? [cc] : [],
        createdAt: parts.at,
        recipients: { create: recipients },
      },
    });
  };
  return { domain, api, find, make };
}

describe('a search for messages', () => {
  it('finds a part of the sender’s or a recipient’s address, or a domain', async () => {
    const { find, make } = await setUp();
    const name = unique();
    const from = await make({ from: `desk@${name}finch.example` });
    const to = await make({ to: `ada.${name}@finch.example` });
    const copied = await make({ cc: `copy@${name}finch.example` });
    await make();
    for (const part of [name, name.toUpperCase(), name.slice(0, -1)]) {
      expect(await find(part), part).toEqual([copied.id, to.id, from.id]);
    }
    for (const part of [`@${name}`, `${name}finch.ex`, `@${name}finch.example`]) {
      expect(await find(part), part).toEqual([copied.id, from.id]);
    }
    expect(await find(`ada.${name}@fin`)).toEqual([to.id]);
    expect(await find(`${name}@nowhere`)).toEqual([]);
  });

  it('finds a recipient that the mail server reports later, and a subject that is known later', async () => {
    const { find, make } = await setUp();
    const [name, word] = [unique(), unique()];
    const { id } = await make();
    expect(await find(name)).toEqual([]);
    await db.message.update({ where: { id }, data: { toAddresses: { push: `${name}@far.example` } } });
    await db.message.update({ where: { id }, data: { subject: `About ${word}` } });
    expect(await find(name)).toEqual([id]);
    expect(await find(word)).toEqual([id]);
  });

  it('finds a subject without its accents, and in other scripts', async () => {
    const { find, make } = await setUp();
    const word = unique();
    const subjects = [`Réunion à l’ÉTÉ ${word}`, `Straße nach Łódź ${word}`, `Собрание 회의 ${word}`];
    const [french, german, other] = await Promise.all(subjects.map((subject) => make({ subject })));
    for (const [text, id] of [
      ['reunion', french?.id],
      ['RÉUNION A', french?.id],
      [`ete ${word}`, french?.id],
      ['re\u0301union', french?.id],
      ['strasse nach lodz', german?.id],
      ['STRASSE', german?.id],
      ['собрание', other?.id],
      ['회의', other?.id],
    ] as const) {
      expect({ text, found: await find(text) }).toEqual({ text, found: [id] });
    }
    expect(await find('회외')).toEqual([]);
  });

  it('takes an address with messages as a whole, and as a part as long as it has none', async () => {
    const { find, make } = await setUp();
    const address = `${unique()}@far.example`;
    const longer = await make({ to: `jo${address}` });
    expect(await find(address)).toEqual([longer.id]);
    await make({ to: address }, (await makeDomain()).id);
    expect(await find(address)).toEqual([longer.id]);
    const exact = await make({ from: address });
    expect(await find(address)).toEqual([exact.id]);
    expect(await find(address.slice(0, -1))).toEqual([exact.id, longer.id]);
  });

  it('takes an address in any letter case as the same one', async () => {
    const { find, make } = await setUp();
    const address = `${unique()}@far.example`;
    const sent = [
      await make({ to: `A${address}` }),
      await make({ from: `a${address}` }),
      await make({ cc: `A${address}` }),
    ];
    const ids = sent.map(({ id }) => id).reverse();
    expect(await find(`a${address}`)).toEqual(ids);
    expect(await find(`A${address}`)).toEqual(ids);
    expect(await find(`a${address}`, `&from=A${address}`)).toEqual([ids[1]]);
    expect(await find('hello', `&to=a${address}`)).toEqual([ids[0], ids[2]]);
    expect(await find('hello', `&to=a${address}&from=SHOP@post.example`)).toEqual([ids[0], ids[2]]);
  });

  it('ends after the exact matches, page by page, and does not continue with parts', async () => {
    const { api, make } = await setUp();
    const address = `${unique()}@far.example`;
    await make({ to: `jo${address}`, at: new Date('2026-01-01') });
    const exact = [await make({ to: address }), await make({ to: address })].reverse();
    const first = await api.get(`/messages?q=${address}&limit=1`);
    const second = await api.get(`/messages?q=${address}&limit=1&cursor=${first.meta.pagination?.next_cursor}`);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(exact.map(({ id }) => id));
    expect(second.meta.pagination?.has_more).toBe(false);
    await db.message.delete({ where: { id: exact[1]?.id } });
    const gone = await api.get(`/messages?q=${address}&limit=1&cursor=${first.meta.pagination?.next_cursor}`);
    expect(gone.data).toEqual([]);
  });

  it('finds a Message-ID and a queue id although their words are in newer messages', async () => {
    const { find, make } = await setUp();
    const queueId = unique();
    const { id, messageId } = await make({ queueId });
    await make({ subject: `Re: ${queueId} and ${messageId}` });
    expect(await find(messageId)).toEqual([id]);
    expect(await find(messageId.slice(1, -1))).toEqual([id]);
    expect(await find(queueId)).toEqual([id]);
  });

  it('finds an old message at once although thousands of newer ones have its words', async () => {
    const { domain, api, find, make } = await setUp();
    const { id } = await make({ subject: 'Order of Lamps', status: 'bounced', at: new Date('2026-01-01') });
    await db.$executeRaw`
      INSERT INTO message (id, message_id, domain_id, direction, from_address, to_addresses, subject, size_bytes, status, updated_at)
      SELECT gen_random_uuid(), n::text, ${domain.id}::uuid, 'outbound', 'shop@post.example', '{}', 'Lamps of order', 100,
             'sent', now()
        FROM generate_series(1, 3000) AS n`;
    await db.$executeRaw`ANALYZE message`;
    expect(await find('order of lamps')).toEqual([id]);
    expect(await find('order of lamps', '&status=bounced')).toEqual([id]);
    expect((await api.get('/messages?q=lamps+of+order&total=true')).meta.pagination).toMatchObject({ total: 3000 });
  });

  it('finds nothing in domains out of scope', async () => {
    const { find, make } = await setUp();
    const name = unique();
    await make({ to: `${name}@far.example` }, (await makeDomain()).id);
    expect(await find(name)).toEqual([]);
    expect(await find(`${name}@far.example`)).toEqual([]);
  });
});

describe('the counts above the list', () => {
  async function counter(domainIds: string[]) {
    const { id } = await makeAdmin({ role: 'domain_admin', domainIds });
    const headers = { cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' };
    return appRouter.createCaller(createContext(new Request('http://localhost:3000/api/trpc', { headers }))).messages;
  }

  it('are of the messages that the filters and the search match, whatever their age', async () => {
    const { domain, make } = await setUp();
    const name = unique();
    await make({ to: `${name}@far.example`, status: 'delivered', at: new Date('2026-01-01') });
    await make({ from: `${name}@post.example`, status: 'delivered' });
    await make({ cc: `${name}@far.example`, status: 'bounced' });
    await make({ to: `${name}@far.example` }, (await makeDomain()).id);
    await make({ status: 'failed' });
    const { totals } = await counter([domain.id]);
    expect(await totals({ q: name })).toMatchObject({
      counts: { delivered: 2, bounced: 1, failed: 0, sent: 0 },
      is_complete: true,
    });
    expect((await totals({ q: name, since: '2026-02-01T00:00:00Z' })).counts).toMatchObject({
      delivered: 1,
      bounced: 1,
    });
    expect((await totals({ to: `${name}@far.example` })).counts).toMatchObject({ delivered: 1, bounced: 1 });
    expect((await totals({ direction: 'inbound' })).counts).toMatchObject({ delivered: 0, bounced: 0 });
    expect((await totals({ direction: 'outbound', domain_id: domain.id })).counts).toMatchObject({ failed: 1 });
  });

  it('are of the last 24 hours without a filter', async () => {
    const { domain, make } = await setUp();
    await make({ status: 'failed' });
    await make({ status: 'failed', at: new Date('2026-01-01') });
    const { totals } = await counter([domain.id]);
    expect(await totals({})).toMatchObject({ counts: { failed: 1 }, is_complete: true });
    await expect(totals({ domain_id: (await makeDomain()).id, q: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
