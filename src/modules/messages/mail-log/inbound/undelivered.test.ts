import { beforeEach, describe, expect, it } from 'vitest';
import { parseLogLine } from '@/mail/log/log-line';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { AT, messageCopies, readLines, reportRun } from '@/test/mail/logged-mail';
import { makeOneMessage, OFFER, type OneMessage } from '@/test/mail/one-message';
import { keyClient } from '@/test/rest';
import { createDeliveryReporter } from './deliveries';

const LMTP = '/var/lib/postroom-mail/run/dovecot/lmtp';
const FULL =
  `status=bounced (host mail.example.test[${LMTP}] said: 552 5.2.2 <ann@d.example> The mailbox is full. ` +
  '(in reply to end of DATA command))';
const UNAVAILABLE = `status=deferred (connect to mail.example.test[${LMTP}]: No such file or directory)`;

const api = await keyClient();
let mail: OneMessage;
const at = (local: string) => `${local}@${mail.domain.name}`;
const reportDeliveries = createDeliveryReporter(db, messageCopies());

beforeEach(async () => {
  mail = await makeOneMessage('ann', 'bo');
});

/** Records lines of Postfix's log about the message. */
async function logs(...lines: string[]): Promise<void> {
  const now = new Date(AT);
  const entries = lines.map((line) => {
    const [daemon, ...rest] = line.split(' ');
    const entry = parseLogLine(`Nov 21 09:00:00 mail postfix/${daemon}[9]: ${mail.queueId}: ${rest.join(' ')}`, now);
    if (!entry) throw new Error(`cannot parse log line: ${line}`);
    return { ...entry, at: AT };
  });
  await readLines(...entries);
}

const ACCEPTED = [
  'smtpd client=mx.far.example[192.0.2.1]',
  'cleanup message-id=<offer@far.example>',
  'qmgr from=<bo@far.example>, size=500, nrcpt=1 (queue active)',
];
const REMOVED = 'qmgr removed';

function lmtpLine(status: string, mailbox: string, addressedTo: string | null, dsn: string, relay = `mail[${LMTP}]`) {
  const original = addressedTo ? `orig_to=<${addressedTo}>, ` : '';
  return `lmtp to=<${mailbox}>, ${original}relay=${relay}, delay=0.2, delays=0.1/0/0/0.1, dsn=${dsn}, ${status}`;
}

const full = (mailbox: string, addressedTo: string | null = null) => lmtpLine(FULL, mailbox, addressedTo, '5.2.2');
const unavailable = (mailbox: string, addressedTo: string | null = null) =>
  lmtpLine(UNAVAILABLE, mailbox, addressedTo, '4.4.1', 'none');
const stored = (mailbox: string, addressedTo: string | null = null) =>
  lmtpLine('status=sent (250 2.0.0 <ann> Saved)', mailbox, addressedTo, '2.0.0');

async function shown(search = '') {
  const { data } = await api.get(`/messages?domain_id=${mail.domain.id}&direction=inbound${search}`);
  const details = data.map(async ({ id }: { id: string }) => (await api.get(`/messages/${id}`)).data);
  return (await Promise.all(details)).map(({ events, ...message }) => ({
    ...message,
    trace: events.map(({ type, recipient }: { type: string; recipient: string | null }) => [type, recipient]),
    events,
  }));
}

const statuses = async () => (await shown()).map(({ status }) => status);
const emitted = async () => (await mail.emitted()).map(({ event, data }) => [event, data.to]);

describe('mail that a full mailbox behind an alias rejects', () => {
  it('is bounced with the reply, and emits no event', async () => {
    await mail.filtered({ recipients: [at('info')], score: 2 }, OFFER);
    await logs(...ACCEPTED, full(at('ann'), at('info')), REMOVED);
    await reportDeliveries(reportRun());
    expect(await shown('&status=bounced')).toMatchObject([
      {
        message_id: '<offer@far.example>',
        queue_id: mail.queueId,
        from: 'bo@far.example',
        to: [at('info')],
        subject: 'Offer',
        size: 500,
        spam_score: 2,
        recipients: [
          {
            address: at('info'),
            status: 'bounced',
            cause: 'remote_reply',
            route: 'mailbox',
            smtp_code: 552,
            enhanced_code: '5.2.2',
            response: '552 5.2.2 <ann@d.example> The mailbox is full.',
          },
        ],
        trace: [['bounced', at('ann')]],
        events: [
          {
            detail: {
              cause: 'remote_reply',
              route: 'mailbox',
              addressed_to: at('info'),
              smtp_code: 552,
              enhanced_code: '5.2.2',
              remote_mta: expect.any(String),
            },
          },
        ],
      },
    ]);
    expect(await emitted()).toEqual([]);
  });

  it('has the fields from the log if the filter reported nothing', async () => {
    await logs(...ACCEPTED, full(at('ann')), REMOVED);
    expect(await shown()).toMatchObject([
      { message_id: '<offer@far.example>', from: 'bo@far.example', to: [at('ann')], spam_score: null },
    ]);
  });

  it('gets the fields of a filter entry that arrives late', async () => {
    await logs(...ACCEPTED, full(at('ann')), REMOVED);
    await mail.filtered({ recipients: [at('ann')], score: 2 }, OFFER);
    expect(await shown()).toMatchObject([{ status: 'bounced', subject: 'Offer', size: 500, spam_score: 2 }]);
  });

  it('is bounced, and received by another mailbox behind the alias', async () => {
    await logs(...ACCEPTED, stored(at('bo'), at('info')), full(at('ann'), at('info')), REMOVED);
    await reportDeliveries(reportRun());
    expect(await shown()).toMatchObject([
      {
        status: 'bounced',
        trace: [
          ['bounced', at('ann')],
          ['received', at('bo')],
        ],
      },
    ]);
    expect(await emitted()).toEqual([['mail.received', at('bo')]]);
  });

  it('is a message in each domain that it was addressed to', async () => {
    const other = await makeDomain();
    await logs(...ACCEPTED, full(at('ann')), full(at('ann'), `info@${other.name}`), REMOVED);
    expect(await statuses()).toEqual(['bounced']);
    const { data } = await api.get(`/messages?domain_id=${other.id}`);
    expect(data).toMatchObject([{ status: 'bounced', to: [`info@${other.name}`] }]);
  });
});

describe('mail deferred by its mailbox', () => {
  it('is recorded as deferred once, and later received in the same row', async () => {
    await logs(...ACCEPTED, unavailable(at('ann'), at('info')));
    await logs(unavailable(at('ann'), at('info')), unavailable(at('ANN'), at('Info')));
    const [waiting, ...others] = await shown('&status=deferred');
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({
      to: [at('info')],
      subject: '',
      recipients: [{ status: 'deferred', smtp_code: null, enhanced_code: '4.4.1' }],
      trace: [['deferred', at('ann')]],
    });
    await mail.filtered({ recipients: [at('info')], score: 2 }, OFFER);
    await logs(stored(at('ann'), at('info')), REMOVED);
    await reportDeliveries(reportRun());
    expect(await shown()).toMatchObject([
      {
        id: waiting.id,
        status: 'received',
        subject: 'Offer',
        spam_score: 2,
        recipients: [{ address: at('info'), status: 'received', smtp_code: null, enhanced_code: null, response: null }],
        trace: [
          ['deferred', at('ann')],
          ['received', at('ann')],
        ],
      },
    ]);
    expect(await emitted()).toEqual([['mail.received', at('ann')]]);
  });

  it('is deferred until all mailboxes have received it', async () => {
    await logs(...ACCEPTED, stored(at('bo'), at('all')), unavailable(at('ann'), at('all')));
    await reportDeliveries(reportRun());
    expect(await statuses()).toEqual(['deferred']);
    expect(await emitted()).toEqual([['mail.received', at('bo')]]);
    await logs(stored(at('ann'), at('all')), REMOVED);
    await reportDeliveries(reportRun());
    expect(await statuses()).toEqual(['received']);
    expect(await emitted()).toEqual([
      ['mail.received', at('bo')],
      ['mail.received', at('ann')],
    ]);
  });

  it('is bounced if it is finally rejected', async () => {
    await logs(...ACCEPTED, unavailable(at('ann')));
    await logs(full(at('ann')), REMOVED);
    expect(await shown()).toMatchObject([
      {
        status: 'bounced',
        recipients: [{ smtp_code: 552 }],
        trace: [
          ['deferred', at('ann')],
          ['bounced', at('ann')],
        ],
      },
    ]);
  });

  it.each([
    ['expires', ['qmgr from=<bo@far.example>, status=expired, returned to sender', REMOVED], 'expired', /Last reply/],
    ['is deleted by an admin', ['postsuper removed'], 'deleted', /An admin deleted/],
  ])('fails if it %s', async (_case, lines, cause, response) => {
    await logs(...ACCEPTED, stored(at('bo')), unavailable(at('ann')));
    expect((await shown())[0]?.recipients).toMatchObject([{ status: 'deferred', cause: 'no_reply', route: 'mailbox' }]);
    await logs(...lines);
    await reportDeliveries(reportRun());
    const [message] = await shown();
    expect(message).toMatchObject({ status: 'failed', trace: expect.arrayContaining([['failed', at('ann')]]) });
    expect(message?.recipients).toMatchObject([
      { address: at('ann'), status: 'failed', cause, route: 'mailbox', response: expect.stringMatching(response) },
      { address: at('bo'), status: 'received', cause: null, route: 'mailbox' },
    ]);
    expect(await emitted()).toEqual([['mail.received', at('bo')]]);
  });

  it('shows hold and release in the trace', async () => {
    await logs(...ACCEPTED, unavailable(at('ann')));
    await logs('postsuper placed on hold', 'postsuper released from hold');
    const [message] = await shown();
    expect(message?.trace.map(([type]: [string]) => type)).toEqual(['deferred', 'held', 'released']);
  });
});

describe('mail that an alias forwards', () => {
  const elsewhere = (status: string, dsn: string) =>
    `smtp to=<z@far.example>, orig_to=<${at('out')}>, relay=mx.far.example[192.0.2.9]:25, delay=1, delays=0/0/0/1, dsn=${dsn}, ${status}`;
  const later = () =>
    elsewhere(
      'status=deferred (host mx.far.example[192.0.2.9] said: 451 4.3.0 Later (in reply to RCPT TO command))',
      '4.3.0',
    );

  it('is deferred while the remote server defers it, and received once it is forwarded', async () => {
    await logs(...ACCEPTED, later());
    expect(await shown()).toMatchObject([
      {
        status: 'deferred',
        recipients: [{ address: at('out'), status: 'deferred', route: 'forwarded', smtp_code: 451 }],
        events: [{ type: 'deferred', recipient: at('out'), detail: { forwarded_to: ['z@far.example'] } }],
      },
    ]);
    await logs(elsewhere('status=sent (250 2.0.0 Ok)', '2.0.0'), REMOVED);
    await reportDeliveries(reportRun());
    expect(await shown()).toMatchObject([
      {
        status: 'received',
        recipients: [{ status: 'received', cause: null, route: 'forwarded' }],
        trace: [
          ['deferred', at('out')],
          ['forwarded', at('out')],
        ],
      },
    ]);
  });

  it('is not confused with outbound mail', async () => {
    const login = `smtpd client=mx[192.0.2.1], sasl_method=PLAIN, sasl_username=${at('ann')}`;
    await logs(login, ...ACCEPTED.slice(1), later().replace(` orig_to=<${at('out')}>,`, ''));
    expect(await shown()).toEqual([]);
  });
});

it('mail that the log repeats after a gap is recorded once', async () => {
  await logs(...ACCEPTED, unavailable(at('ann')));
  const before = await shown();
  await logs(...ACCEPTED, unavailable(at('ann')));
  expect(await shown()).toEqual(before);
});
