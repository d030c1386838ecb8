import { describe, expect, it } from 'vitest';
import type { Prisma } from '@/server/prisma/client';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { expectError, keyClient, sessionClient } from '@/test/rest';

const MISSING_ID = '01a1f000-0000-7000-8000-000000000000';

async function makeMessage(domainId: string, over: Partial<Prisma.MessageUncheckedCreateInput> & { to?: string } = {}) {
  const { to = 'ann@far.example', ...rest } = over;
  return db.message.create({
    data: {
      messageId: `<a+${unique()}@post.example>`,
      domainId,
      direction: 'outbound',
      fromAddress: 'shop@post.example',
      toAddresses: [to],
      subject: 'Hello',
      sizeBytes: 100,
      status: 'sent',
      recipients: { create: { address: to, kind: 'to', status: 'sent' } },
      ...rest,
    },
  });
}

async function setUp() {
  const domain = await makeDomain();
  const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
  const ids = async (query = '') => (await api.get(`/messages?${query}`)).data.map((row: { id: string }) => row.id);
  return { domain, api, ids };
}

describe('listing messages', () => {
  it('returns the newest first, and only messages of domains in scope', async () => {
    const { domain, ids } = await setUp();
    const old = await makeMessage(domain.id, { createdAt: new Date('2026-01-01') });
    const young = await makeMessage(domain.id);
    await makeMessage((await makeDomain()).id);
    expect(await ids()).toEqual([young.id, old.id]);
  });

  it('counts the recipients by status, as the message itself does', async () => {
    const { domain, api } = await setUp();
    const single = await makeMessage(domain.id);
    const mixed = await makeMessage(domain.id, {
      status: 'bounced',
      recipients: {
        create: [
          { address: 'ann@far.example', kind: 'to', status: 'delivered' },
          { address: 'bo@far.example', kind: 'cc', status: 'bounced', cause: 'remote_reply' },
          { address: 'cy@far.example', kind: 'bcc', status: 'delivered' },
        ],
      },
    });
    const outcomes = [
      { status: 'delivered', recipients: 2 },
      { status: 'bounced', recipients: 1 },
    ];
    expect((await api.get('/messages')).data).toMatchObject([
      { id: mixed.id, outcomes },
      { id: single.id, outcomes: [{ status: 'sent', recipients: 1 }] },
    ]);
    expect((await api.get(`/messages/${mixed.id}`)).data.outcomes).toEqual(outcomes);
  });

  it('says why the worst recipient has no mail, as the message itself does', async () => {
    const { domain, api } = await setUp();
    const bounce = { status: 'bounced', cause: 'remote_reply', smtpCode: 550, response: '550 5.1.1 no' } as const;
    const message = await makeMessage(domain.id, {
      status: 'bounced',
      recipients: {
        create: [
          { address: 'ann@far.example', kind: 'to', status: 'deferred', cause: 'no_reply' },
          { address: 'bo@far.example', kind: 'cc', enhancedCode: '5.1.1', ...bounce },
          { address: 'cy@far.example', kind: 'bcc', status: 'delivered' },
        ],
      },
    });
    const failure = {
      recipient: 'bo@far.example',
      ...{ status: 'bounced', cause: 'remote_reply', smtp_code: 550, enhanced_code: '5.1.1' },
      reason: 'No such mailbox at far.example',
    };
    const deferred = await makeMessage(domain.id, {
      status: 'deferred',
      recipients: { create: [{ address: 'ann@far.example', kind: 'to', status: 'deferred', cause: 'no_reply' }] },
    });
    const expired = await makeMessage(domain.id, {
      status: 'failed',
      recipients: { create: [{ address: 'ann@far.example', kind: 'to', status: 'failed', cause: 'expired' }] },
    });
    await makeMessage(domain.id);
    expect((await api.get('/messages')).data).toMatchObject([
      { failure: null },
      { id: expired.id, failure: { reason: 'Queue lifetime ended' } },
      { id: deferred.id, failure: { reason: 'No answer from far.example' } },
      { id: message.id, failure },
    ]);
    expect((await api.get(`/messages/${message.id}`)).data.failure).toEqual(failure);
  });

  it('names the domain and the mailbox of a recipient, if the caller has access to them', async () => {
    const { domain, api } = await setUp();
    const other = await makeDomain();
    const { id: mailboxId } = await makeMailbox(other.id, 'ann');
    const create = [`ann@${other.name}`, `gone@${other.name}`, 'ann@far.example'].map((address) => {
      return { address, kind: 'to' as const, status: 'bounced' as const };
    });
    const { id } = await makeMessage(domain.id, { status: 'bounced', recipients: { create } });
    const ownersOf = async (client: typeof api) =>
      (await client.get(`/messages/${id}`)).data.recipients.map(
        (recipient: { domain_id: string | null; mailbox_id: string | null }) => [
          recipient.domain_id,
          recipient.mailbox_id,
        ],
      );
    const none = [null, null];
    expect(await ownersOf(await keyClient({ role: 'admin' }))).toEqual([[other.id, mailboxId], [other.id, null], none]);
    expect(await ownersOf(api)).toEqual([none, none, none]);
  });

  it('merges several domains in one order, page by page', async () => {
    const domains = await Promise.all([makeDomain(), makeDomain(), makeDomain()]);
    const api = await keyClient({ role: 'domain_admin', domainIds: domains.map(({ id }) => id) });
    const made: string[] = [];
    for (const index of [0, 1, 1, 0, 1, 0, 0]) {
      const { id } = domains[index] as { id: string };
      const createdAt = new Date(Date.UTC(2026, 0, 1 + Math.floor(made.length / 2)));
      made.push((await makeMessage(id, { createdAt })).id);
    }
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const { data, meta } = await api.get(`/messages?to=ann@far.example&limit=2&order=${order}${cursor}`);
        const { data: same } = await api.get(`/messages?limit=2&order=${order}&since=2025-01-01T00:00:00Z`);
        if (seen.length === 0) expect(same).toEqual(data);
        seen.push(...data.map(({ id }: { id: string }) => id));
        if (!meta.pagination?.has_more) break;
        cursor = `&cursor=${meta.pagination.next_cursor}`;
      }
      expect(seen).toHaveLength(made.length);
      const days = seen.map((id) => Math.floor(made.indexOf(id) / 2));
      expect(days).toEqual(days.toSorted((one, other) => (order === 'asc' ? one - other : other - one)));
    }
  });

  it('filters by every documented field', async () => {
    const { domain, ids } = await setUp();
    const plain = await makeMessage(domain.id, { createdAt: new Date('2026-02-01T00:00:00Z') });
    const special = await makeMessage(domain.id, {
      to: 'Bo@xn--bcher-kva.example',
      fromAddress: 'Press+News@post.example',
      subject: 'Second proofs: 100% ready_now',
      status: 'failed',
      queueId: '4Rk2Vd0xQzLm',
      createdAt: new Date('2026-03-01T00:00:00Z'),
    });
    const inbound = await makeMessage(domain.id, {
      direction: 'inbound',
      status: 'received',
      createdAt: new Date('2026-04-01T00:00:00Z'),
    });
    for (const query of [
      'status=failed',
      'from=press%2Bnews@post.example',
      'from=PRESS+news@post.example',
      'to=bo@bücher.example',
      'to=BO@bücher.example',
      `message_id=${encodeURIComponent(special.messageId)}`,
      `message_id=${encodeURIComponent(special.messageId.slice(1, -1))}`,
      `message_id=${special.messageId.slice(1, -1)}`,
      'since=2026-02-15T00:00:00Z&until=2026-03-15T00:00:00Z',
      'q=second%20PROOFS',
      'q=100%25%20ready_now',
      'q=4Rk2Vd0xQzLm',
      'q=bo@bücher.example',
      'q=press%2Bnews@post.example',
      'q=press+news@post.example',
      `q=${encodeURIComponent(special.messageId)}`,
      `q=${encodeURIComponent(special.messageId.slice(1, -1))}`,
    ]) {
      expect(await ids(query), query).toEqual([special.id]);
    }
    expect(await ids('direction=inbound')).toEqual([inbound.id]);
    expect(await ids('since=2026-02-01T00:00:00.000Z&until=2026-02-01T00:00:00.001Z')).toEqual([plain.id]);
    for (const wildcard of ['q=100_%20ready', 'q=sec%25proofs', 'q=%25%25', 'q=ready-now', 'q=%5C']) {
      expect(await ids(wildcard), wildcard).toEqual([]);
    }
  });

  it('finds what an API key sent, also after the key was revoked, within the domains in scope', async () => {
    const { domain, api, ids } = await setUp();
    const sender = await keyClient({ role: 'admin' });
    const send = async (name: string) => {
      const message = {
        from: { email: `shop@${name}` },
        to: [{ email: 'ann@far.example' }],
        subject: 'Hi',
        text_body: 'Hi',
      };
      return (await sender.post('/send', message)).data.id;
    };
    const sent = [await send(domain.name), await send(domain.name)].reverse();
    const elsewhere = await send((await makeDomain()).name);
    await makeMessage(domain.id);
    const ofKey = `api_key_id=${sender.keyId}`;
    expect(await ids(ofKey)).toEqual(sent);
    expect(await ids(`${ofKey}&from=shop@${domain.name}&order=asc`)).toEqual(sent.toReversed());
    expect(await ids(`${ofKey}&status=bounced`)).toEqual([]);
    expect((await api.get(`/messages?${ofKey}&total=true&limit=1`)).meta.pagination).toMatchObject({ total: 2 });
    const admin = await sessionClient();
    await admin.delete(`/api-keys/${sender.keyId}`);
    const all = (await admin.get(`/messages?${ofKey}`)).data.map(({ id }: { id: string }) => id);
    expect(all).toEqual([elsewhere, ...sent]);
  });

  it('finds words of any script regardless of case, and short texts at the start of words', async () => {
    const { domain, ids } = await setUp();
    const { id } = await makeMessage(domain.id, { subject: 'Re: Grüße aus Zürich, 発送済み, привет u2' });
    await makeMessage(domain.id, { subject: 'Something else', to: 'bo@far.example' });
    for (const q of ['grüße', 'ZÜRICH'.toLowerCase(), 'ürich,', '送済', '済', 'ривет', 'RE', 'u2', 'Re: g', 'a']) {
      expect(await ids(`q=${encodeURIComponent(q)}`), q).toEqual([id]);
    }
    for (const q of ['us', 'üü', '::', 'u00fc', 'грив']) expect(await ids(`q=${encodeURIComponent(q)}`), q).toEqual([]);
  });

  it('returns each search result once and in order, page by page', async () => {
    const { domain, api, ids } = await setUp();
    const address = `${unique()}@far.example`;
    const made: string[] = [];
    for (let index = 0; index < 9; index += 1) {
      const over = index % 3 === 0 ? { to: address } : index % 3 === 1 ? { fromAddress: address } : {};
      const both = index % 3 === 2 ? { to: address, fromAddress: address } : over;
      made.unshift((await makeMessage(domain.id, { ...both, createdAt: new Date(1e12 + (index >> 1)) })).id);
    }
    for (const order of ['desc', 'asc']) {
      const whole = await ids(`q=${address}&order=${order}`);
      expect([...whole].sort()).toEqual([...made].sort());
      const paged: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await api.get(`/messages?q=${address}&order=${order}&limit=2${cursor && `&cursor=${cursor}`}`);
        paged.push(...page.data.map((row: { id: string }) => row.id));
        if (!page.meta.pagination?.has_more) break;
        cursor = page.meta.pagination.next_cursor;
      }
      expect(paged).toEqual(whole);
    }
  });

  it('rejects a domain that does not exist or is out of scope', async () => {
    const { api } = await setUp();
    expectError(await api.get(`/messages?domain_id=${MISSING_ID}`), 404, 'DOMAIN_NOT_FOUND');
    expectError(await api.get(`/messages?domain_id=${(await makeDomain()).id}`), 403, 'FORBIDDEN');
  });

  it.each(['status=lost', 'since=yesterday', 'direction=up', 'accepted=false', 'domain_id=x', 'q=a%00b', 'to=%00'])(
    'rejects %s',
    async (query) => {
      const { api } = await setUp();
      expectError(await api.get(`/messages?${query}`), 400, 'VALIDATION_ERROR');
    },
  );

  it('includes messages of an inactive domain', async () => {
    const { domain, ids } = await setUp();
    const row = await makeMessage(domain.id);
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await ids(`domain_id=${domain.id}`)).toEqual([row.id]);
  });
});

describe('a single message', () => {
  it('is not found if it is out of scope', async () => {
    const { api } = await setUp();
    const foreign = await makeMessage((await makeDomain()).id);
    expectError(await api.get(`/messages/${foreign.id}`), 404, 'NOT_FOUND');
    expectError(await api.get(`/messages/${MISSING_ID}`), 404, 'NOT_FOUND');
  });

  it('includes its recipients', async () => {
    const { domain, api } = await setUp();
    const row = await makeMessage(domain.id);
    expect((await api.get(`/messages/${row.id}`)).data.recipients).toEqual([
      {
        address: 'ann@far.example',
        kind: 'to',
        status: 'sent',
        cause: null,
        route: null,
        smtp_code: null,
        enhanced_code: null,
        response: null,
        late: false,
        domain_id: null,
        mailbox_id: null,
      },
    ]);
  });
});
