import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { dmarcMail } from '@/test/reports/report-mail';
import { day, uploadDmarc } from '@/test/reports/upload';
import { keyClient } from '@/test/rest';
import { mailServerCalls } from '../../messages/service';
import { CAPS, SENDER, UNAUTHENTICATED } from './caps';

const { sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * 1024 * 1024 });
const api = await keyClient();
/** The name of the mail server in Authentication-Results, here the host of `APP_URL`. */
const MAIL_HOST = 'localhost';

let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

type Fields = Partial<Parameters<typeof dmarcMail>[0]>;

/** Sends a report, with what the mail server found out about its sender. */
async function send(passed: string | null, fields: Fields = {}): Promise<boolean> {
  const before = await stored();
  const results = passed ? `dkim=pass header.d=${passed}` : 'dkim=none; spf=none';
  const mail = dmarcMail({ domain: domain.name, ...fields });
  await sendRaw(`Authentication-Results: ${MAIL_HOST}; ${results}\r\n${mail}`, `dmarc-reports@${domain.name}`);
  return (await stored()) > before;
}

const stored = () => db.dmarcReport.count({ where: { domainId: domain.id } });
const dmarc = async () => (await api.get(`/domains/${domain.id}/dmarc?period=30d`)).data;

/** Stores a result of the last DNS check: a DMARC policy of none. */
async function publish({ id: domainId, name }: { id: string; name: string }): Promise<void> {
  const at = new Date();
  const found = [`v=DMARC1; p=none; rua=mailto:dmarc-reports@${name}`];
  const record = { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${name}`, position: 0, status: 'ok', severity: 'ok' };
  await db.dnsRecord.create({
    data: { ...record, domainId, found, required: true, message: '', changedAt: at, checkedAt: at },
  });
}

/** Reports that arrived today from one sender. */
async function fill(count: number, senderDomain: string, isAuthenticated: boolean, rowCount = 1): Promise<void> {
  const at = new Date();
  const data = Array.from({ length: count }, (_, n) => ({
    domainId: domain.id,
    fingerprint: Buffer.from(`${senderDomain} ${n}`),
    organisation: 'far.example',
    email: '',
    reportId: `${n}`,
    beginAt: at,
    endAt: at,
    messages: 0,
    aligned: 0,
    rowCount,
    isTruncated: false,
    policy: {},
    source: 'mail' as const,
    receivedAt: at,
    senderDomain,
    isAuthenticated,
  }));
  await db.dmarcReport.createMany({ data });
}

describe('a domain has room for reports', () => {
  it('of authenticated senders when those of others have used up their share', async () => {
    await fill(UNAUTHENTICATED.reports - 1, 'forger.example', false);
    expect(await send(null)).toBe(true);
    expect(await send(null, { organisation: 'google.example' })).toBe(false);
    expect((await dmarc()).dropped).toMatchObject([{ reason: 'too_many', count: 1 }]);
    expect(await send('far.example')).toBe(true);
  });

  it('of other authenticated senders when one has used up its share', async () => {
    await fill(SENDER.reports, 'far.example', true);
    expect(await send('mail.far.example')).toBe(false);
    expect(await send('other.example')).toBe(true);
  });

  it('of authenticated senders when those of others have many rows', async () => {
    await fill(1, 'forger.example', false, UNAUTHENTICATED.rows);
    expect(await send(null)).toBe(false);
    expect(await send('far.example')).toBe(true);
  });

  it('of organizations beside those that nobody has confirmed', async () => {
    await db.$executeRaw`
      INSERT INTO dmarc_day (domain_id, day, organisation, is_trusted, reports, messages, aligned, dkim_aligned, spf_aligned,
                             quarantined, rejected)
      SELECT ${domain.id}::uuid, ${day(1)}::date, 'o' || n, false, 1, 2, 1, 1, 1, 0, 0
        FROM generate_series(1, ${UNAUTHENTICATED.organisations}::int) AS n`;
    expect(await send(null)).toBe(false);
    expect(await send('far.example')).toBe(true);
    expect(await send('service.example', { organisation: 'customer.example' })).toBe(true);
  });

  it('until it has as many as are stored of all', async () => {
    for (const sender of ['a', 'b', 'c', 'd']) await fill(CAPS.reports / 4, `${sender}.example`, true);
    expect(await send('far.example')).toBe(false);
  });
});

describe('a forged report that has the ID of a real one', () => {
  const forged = { reportId: 'guessed', rows: [{ ip: '192.0.2.66', count: 9_000 }] };
  const real = { reportId: 'guessed', rows: [{ ip: '192.0.2.1', count: 3 }] };

  it('doesn’t take its place if it arrives first', async () => {
    expect(await send(null, forged as Fields)).toBe(true);
    expect(await send('far.example', real as Fields)).toBe(true);
    expect(await send('far.example', real as Fields)).toBe(false);
  });

  it('is a duplicate if it arrives later', async () => {
    expect(await send('far.example', real as Fields)).toBe(true);
    expect(await send(null, forged as Fields)).toBe(false);
  });

  it('is not stored again if it is the same as one of an unconfirmed sender', async () => {
    expect(await send(null, real as Fields)).toBe(true);
    expect(await send(null, real as Fields)).toBe(false);
    expect(await send('far.example', real as Fields)).toBe(false);
  });
});

describe('the recommended policy', () => {
  it('isn’t changed by reports whose sender isn’t the organization that they name', async () => {
    const rows = [{ ip: '192.0.2.1', count: 100 }];
    await publish(domain);
    for (let daysAgo = 1; daysAgo <= 15; daysAgo += 1) {
      await uploadDmarc(api, { domain: domain.name, day: day(daysAgo), rows });
    }
    const { recommendation } = await dmarc();
    expect(recommendation.policy).toBe('quarantine');
    const forged = {
      organisation: 'big.example',
      rows: [{ ip: '192.0.2.1', count: 9_000, dkim: 'fail', spf: 'fail' }],
    };
    expect(await send(null, forged as Fields)).toBe(true);
    expect(await send('forger.example', forged as Fields)).toBe(true);
    const after = await dmarc();
    const { evidence, ...step } = recommendation;
    expect(after.recommendation).toMatchObject(step);
    expect(after.recommendation.evidence).toEqual([
      ...evidence,
      '2 reports aren’t counted here: the sender isn’t confirmed.',
    ]);
    expect(after.totals).toMatchObject({ failed: 18_000 });
    expect(await send('mail.big.example', forged as Fields)).toBe(true);
    expect((await dmarc()).recommendation.policy).toBe('none');
  });

  it('says who sent a report, and whether that is confirmed', async () => {
    await send('mail.big.example', { reportId: 'one' });
    await send(null, { reportId: 'two' });
    const { data } = await api.get(`/dmarc/reports?domain_id=${domain.id}`);
    const senderOf = (id: string) => data.find(({ report_id }: { report_id: string }) => report_id === id).sender;
    expect(senderOf('one')).toEqual({ domain: 'big.example', authenticated: true });
    expect(senderOf('two')).toEqual({ domain: 'far.example', authenticated: false });
  });
});
