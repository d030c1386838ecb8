import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox } from '@/test/factories';
import { emittedEvents } from '@/test/mail/logged-mail';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { dmarcMail, mailWith, tlsMail } from '@/test/reports/report-mail';
import { keyClient } from '@/test/rest';
import { mailServerCalls } from '../service';

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

const { sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * 1024 * 1024 });
const api = await keyClient();

let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const at = (local: string) => `${local}@${domain.name}`;
const dmarc = async (id = domain.id) => (await api.get(`/domains/${id}/dmarc?period=7d`)).data;
const tls = async () => (await api.get(`/domains/${domain.id}/tls?period=7d`)).data;
const dropped = async () =>
  (await dmarc()).dropped.map(({ reason, count }: { reason: string; count: number }) => [reason, count]);

async function shown() {
  const { data } = await api.get(`/messages?domain_id=${domain.id}`);
  return (await api.get(`/messages/${data[0].id}`)).data;
}

describe('a report to an address of reports that no mailbox has', () => {
  it('is read, and recorded as mail that is in no mailbox', async () => {
    expect(await sendRaw(dmarcMail({ domain: domain.name, rows: [{ count: 4 }] }), at('DMARC-Reports'))).toMatch(
      /^250 /,
    );
    expect(await dmarc()).toMatchObject({ totals: { reports: 1, messages: 4 }, dropped: [] });
    const message = await shown();
    expect(message).toMatchObject({
      status: 'received',
      to: [at('dmarc-reports')],
      recipients: [{ address: at('dmarc-reports'), status: 'received', route: 'reports' }],
      events: [{ type: 'received', recipient: at('dmarc-reports'), detail: { route: 'reports' } }],
    });
    expect(await emittedEvents(domain.id)).toEqual([]);
  });

  it('is read at the other address, and with a tag', async () => {
    await sendRaw(tlsMail({ domain: domain.name, failures: [{ sessions: 2 }] }), at('tls-reports'));
    await sendRaw(dmarcMail({ domain: domain.name }), at('dmarc-reports+google'));
    expect((await tls()).totals).toMatchObject({ reports: 1, failed_sessions: 2 });
    expect((await dmarc()).totals.reports).toBe(1);
  });

  it('does not go to the catch-all', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, '', at('ann'));
    await sendRaw(dmarcMail({ domain: domain.name }), at('dmarc-reports'));
    expect(await shown()).toMatchObject({ recipients: [{ route: 'reports' }] });
  });

  it('about another managed domain is counted there', async () => {
    const other = await makeDomain();
    await sendRaw(dmarcMail({ domain: other.name }), at('dmarc-reports'));
    expect((await dmarc(other.id)).totals.reports).toBe(1);
    expect((await dmarc()).totals.reports).toBe(0);
  });

  it('is rejected at an inactive domain', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    await expect(sendRaw(dmarcMail({ domain: domain.name }), at('dmarc-reports'))).rejects.toThrow(/550 5\.1\.2/);
  });

  it('that is spam is not read', async () => {
    const mail = dmarcMail({ domain: domain.name }).replace('This is a report.', GTUBE);
    await sendRaw(mail, at('dmarc-reports')).catch(() => {});
    expect((await dmarc()).totals.reports).toBe(0);
  });
});

describe('a report to a mailbox is delivered there, and read', () => {
  it('if the mailbox has the address of reports', async () => {
    await makeMailbox(domain.id, 'dmarc-reports');
    await sendRaw(dmarcMail({ domain: domain.name }), at('dmarc-reports'));
    expect((await dmarc()).totals.reports).toBe(1);
    expect(await shown()).toMatchObject({ recipients: [{ route: 'mailbox' }] });
    expect(await emittedEvents(domain.id)).toMatchObject([{ event: 'mail.received' }]);
  });

  it('if the domain names the mailbox for reports, also behind an alias', async () => {
    const { id } = await makeMailbox(domain.id, 'ops');
    await makeAlias(domain.id, 'dmarc-reports', at('ops'));
    await sendRaw(dmarcMail({ domain: domain.name }), at('ops'));
    expect((await dmarc()).totals.reports).toBe(0);
    await db.domain.update({ where: { id: domain.id }, data: { reportMailboxId: id } });
    await sendRaw(dmarcMail({ domain: domain.name }), at('ops'));
    await sendRaw(dmarcMail({ domain: domain.name }), at('dmarc-reports'));
    expect((await dmarc()).totals.reports).toBe(2);
  });

  it('and ordinary mail there is no report', async () => {
    const { id } = await makeMailbox(domain.id, 'ops');
    await db.domain.update({ where: { id: domain.id }, data: { reportMailboxId: id } });
    await sendRaw(mailWith(), at('ops'));
    expect(await dropped()).toEqual([]);
  });

  it('and an alias to outside takes it along unread', async () => {
    await makeAlias(domain.id, 'dmarc-reports', 'reports@far.example');
    await sendRaw(dmarcMail({ domain: domain.name }), at('dmarc-reports'));
    expect((await dmarc()).totals.reports).toBe(0);
    expect(await shown()).toMatchObject({ recipients: [{ route: 'forwarded' }] });
  });
});

describe('what can’t be stored is accepted, and counted', () => {
  it('if it was stored before', async () => {
    for (let time = 0; time < 3; time++)
      await sendRaw(dmarcMail({ domain: domain.name, reportId: 'one' }), at('dmarc-reports'));
    expect(await dropped()).toEqual([['duplicate', 2]]);
    expect((await dmarc()).totals.reports).toBe(1);
  });

  it('if it is about a domain that is not managed here', async () => {
    await sendRaw(dmarcMail({ domain: 'nowhere.example' }), at('dmarc-reports'));
    expect(await dropped()).toEqual([['foreign_domain', 1]]);
  });

  it.each([
    ['garbage', [{ type: 'application/zip', content: 'garbage' }]],
    ['XML with an entity', [{ type: 'text/xml', content: '<!DOCTYPE f [<!ENTITY e "x">]><feedback>&e;</feedback>' }]],
  ])('if it has %s', async (_name, files) => {
    expect(await sendRaw(mailWith(...files), at('dmarc-reports'))).toMatch(/^250 /);
    expect(await dropped()).toEqual([['malformed', 1]]);
    expect(await shown()).toMatchObject({ status: 'received', recipients: [{ route: 'reports' }] });
  });

  it('if there are too many in a message, which are counted up to a limit', async () => {
    const content = gzipSync('<feedback></feedback>'.repeat(100_000));
    await sendRaw(mailWith({ type: 'application/gzip', content }), at('dmarc-reports'));
    expect(await dropped()).toEqual([
      ['malformed', 100],
      ['too_large', 1],
    ]);
  });

  it('if it has no report, such as spam', async () => {
    expect(await sendRaw(mailWith(), at('dmarc-reports'))).toMatch(/^250 /);
    expect(await dropped()).toEqual([['unreadable', 1]]);
    await sendRaw(mailWith({ type: 'application/octet-stream', content: 'Rar!' }), at('tls-reports'));
    expect((await tls()).dropped).toMatchObject([{ reason: 'unreadable', count: 1 }]);
  });

  it('in the periods that it arrived in', async () => {
    await sendRaw(dmarcMail({ domain: 'nowhere.example' }), at('dmarc-reports'));
    const lastAt = new Date(Date.now() - 20 * 24 * 60 * 60 * 1000);
    await db.droppedReport.updateMany({ where: { domainId: domain.id }, data: { lastAt } });
    expect(await dropped()).toEqual([]);
    const { data } = await api.get(`/domains/${domain.id}/dmarc?period=30d`);
    expect(data.dropped).toEqual([{ reason: 'foreign_domain', count: 1, last_at: lastAt.toISOString() }]);
  });

  it('as the kind that the address is for', async () => {
    await sendRaw(mailWith({ type: 'application/tlsrpt+gzip', content: 'garbage' }), at('tls-reports'));
    expect((await tls()).dropped).toMatchObject([{ reason: 'malformed', count: 1, last_at: expect.any(String) }]);
    expect(await dropped()).toEqual([]);
  });

  it('and recorded, even if storing the report fails', async () => {
    await db.$executeRawUnsafe(`ALTER TABLE dmarc_report ADD CONSTRAINT no_poison CHECK (report_id <> 'poison')`);
    expect(await sendRaw(dmarcMail({ domain: domain.name, reportId: 'poison' }), at('dmarc-reports'))).toMatch(/^250 /);
    expect(await shown()).toMatchObject({ status: 'received', recipients: [{ route: 'reports' }] });
    expect((await dmarc()).totals.reports).toBe(0);
    expect(await dropped()).toEqual([['error', 1]]);
  });

  it('if its time is in the future', async () => {
    await sendRaw(dmarcMail({ domain: domain.name, day: '2090-01-01' }), at('dmarc-reports'));
    expect(await dropped()).toEqual([['out_of_range', 1]]);
  });
});
